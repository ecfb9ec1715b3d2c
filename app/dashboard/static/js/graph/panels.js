// @ts-check
/** The panel beside the graph: a node, the claims of a pair, a community, or an explanation of two nodes. */
import { graph, passing, remember, state } from "./state.js";

/** @type {HTMLElement} */ let panel;
/** @type {HTMLElement} */ let body;
let base = "";
let asked = 0;

/** @param {HTMLElement} root */
export function preparePanel(root) {
  panel = /** @type {HTMLElement} */ (root.querySelector("[data-panel]"));
  body = /** @type {HTMLElement} */ (root.querySelector("[data-panel-body]"));
  base = root.dataset.base ?? "";
}

/** What is lit while an explanation is open. @param {HTMLElement|null} answer */
function light(answer) {
  passing.lit = null;
  const found = /** @type {HTMLElement|null} */ (answer?.querySelector("[data-path-nodes]"));
  if (!found) return;
  const nodes = JSON.parse(found.dataset.pathNodes ?? "[]");
  const claims = JSON.parse(found.dataset.pathClaims ?? "[]");
  passing.lit = { nodes: new Set(nodes), claims: new Set(claims.map((/** @type {string[]} */ [from, to, relation]) => `${from} ${relation} ${to}`)) };
}

/** @returns {string[]} nodes of the explanation that are not drawn yet */
export const unseenOfPath = () => [...(passing.lit?.nodes ?? [])].filter((id) => !graph.nodes.has(id));

/** @param {NonNullable<typeof state.chosen>} chosen */
function address(chosen) {
  const query = new URLSearchParams();
  if (state.asOf) query.set("as_of", state.asOf);
  if (chosen.kind === "claim") {
    if (chosen.relation) query.set("relation", chosen.relation);
    return `${base}/between/${chosen.id}/${chosen.other}?${query}`;
  }
  if (chosen.kind === "path") {
    query.set("from", chosen.id);
    query.set("to", chosen.other ?? "");
    if (state.confidence) query.set("confidence", String(state.confidence));
    return `${base}/explain?${query}`;
  }
  return `${base}/${chosen.kind === "group" ? "communities" : "nodes"}/${chosen.id}`;
}

/** Show what was chosen. @param {typeof state.chosen} chosen @param {() => void} changed */
export async function choose(chosen, changed) {
  const turn = (asked += 1);
  state.chosen = chosen;
  passing.lit = null;
  remember();
  if (!chosen) {
    panel.hidden = true;
    changed();
    return;
  }
  changed();
  panel.hidden = false;
  panel.setAttribute("aria-busy", "true");
  let text = '<p class="note note-bad">The panel could not be read. Try again.</p>';
  try {
    const answer = await fetch(address(chosen), { headers: { "HX-Request": "true" } });
    const elsewhere = answer.headers.get("hx-redirect");
    if (elsewhere) location.assign(elsewhere);
    text = await answer.text();
  } catch {
    // The sentence above stands.
  }
  // Whoever clicked on something else meanwhile does not want this one.
  if (turn !== asked) return;
  const page = new DOMParser().parseFromString(text, "text/html");
  body.replaceChildren(...page.body.childNodes);
  body.scrollTop = 0;
  panel.scrollTop = 0;
  panel.removeAttribute("aria-busy");
  if (chosen.kind === "path") light(body);
  changed();
}
