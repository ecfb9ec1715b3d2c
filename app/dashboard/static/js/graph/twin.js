// @ts-check
/** The table twin: the claims and ties that are seen, in words and numbers. */
import { graph, isGroupShown, isSeen, isShown, relationText } from "./state.js";

const MOST_ROWS = 300;

/** @returns {{nodes: import("./state.js").Node[], claims: import("./state.js").Claim[]}} what is seen, heaviest claims first */
export function seen() {
  const claims = [...graph.claims.values()].filter(isSeen).sort((a, b) => (b.now?.weight ?? 0) - (a.now?.weight ?? 0));
  return { nodes: [...graph.nodes.values()].filter(isShown), claims };
}

/** @param {import("./state.js").Standing} now */
export const standing = (now) => (now.ended ? "ended" : now.contested ? "contested" : now.supported ? "holds" : "unsupported");

/** @param {string} text @param {string} [kind] */
function cell(text, kind = "") {
  const made = document.createElement("td");
  made.className = kind;
  made.dir = "auto";
  made.textContent = text;
  return made;
}

/** @param {string} href @param {string} text */
function linked(href, text) {
  const made = cell("");
  const link = document.createElement("a");
  link.href = href;
  link.textContent = text;
  link.title = text;
  link.className = "twin-name";
  made.append(link);
  return made;
}

/** @param {number} number @param {string} noun */
const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/** @param {HTMLElement} root @param {string} base */
export function showTwin(root, base) {
  const details = /** @type {HTMLDetailsElement} */ (root.querySelector(".twin"));
  const { nodes, claims } = seen();
  const groups = graph.groups.filter(isGroupShown);
  const note = /** @type {HTMLElement} */ (root.querySelector("[data-note]"));
  const parts = nodes.length || !graph.byCommunities ? [`${counted(nodes.length, "node")}, ${counted(claims.length, "claim")}`] : [];
  if (graph.byCommunities) parts.push(`${groups.length.toLocaleString("en")} communities, ${graph.total.toLocaleString("en")} nodes in all`);
  note.textContent = graph.total ? parts.join("; ") : "No nodes yet: submit a document first.";
  if (!details.open) return;
  const name = (/** @type {string} */ id) => graph.nodes.get(id)?.name ?? "";
  const rows = claims.slice(0, MOST_ROWS).map((claim) => {
    const row = document.createElement("tr");
    const now = /** @type {import("./state.js").Standing} */ (claim.now);
    const query = new URLSearchParams({ relation: claim.relation });
    row.append(
      linked(`${base}/nodes/${claim.from}`, name(claim.from)),
      linked(`${base}/between/${claim.from}/${claim.to}?${query}`, relationText(claim)),
      linked(`${base}/nodes/${claim.to}`, name(claim.to)),
      cell(standing(now)),
      cell(now.weight.toFixed(2), "num"),
      cell(now.confidence.toFixed(2), "num"),
      cell(String(now.sources), "num"),
    );
    return row;
  });
  root.querySelector("[data-twin]")?.replaceChildren(...rows);
  const groupRows = groups.map((group) => {
    const row = document.createElement("tr");
    row.append(/^0{32}$/.test(group.id) ? cell(group.title) : linked(`${base}/communities/${group.id}`, group.title || "Community"), cell(group.members.toLocaleString("en"), "num"));
    return row;
  });
  const table = /** @type {HTMLElement} */ (root.querySelector("[data-twin-groups]"));
  table.hidden = !groups.length;
  table.querySelector("tbody")?.replaceChildren(...groupRows);
  const more = /** @type {HTMLElement} */ (root.querySelector("[data-twin-more]"));
  more.textContent = claims.length > MOST_ROWS ? `The ${MOST_ROWS} heaviest of ${claims.length.toLocaleString("en")} claims.` : "";
}
