// @ts-check
/** The tools above the picture: search, filters, the time, the legend. */
import { colourOf, groupsOfLegend, nameOfGroup } from "./colours.js";
import { dayNumber, dayText, graph, standNow, state, today } from "./state.js";

/** @typedef {{redraw: () => void, recolour: () => void, reload: () => void, goTo: (hit: any) => void}} Acts */

/** @param {HTMLElement} root @param {Acts} acts */
export function prepareTools(root, acts) {
  const field = (/** @type {string} */ name) => /** @type {any} */ (root.querySelector(`[data-${name}]`));
  for (const name of ["colour", "claims", "type", "relation"]) {
    field(name).addEventListener("change", (/** @type {any} */ event) => {
      if (name === "relation") chooseRelation(event.target.value);
      else /** @type {any} */ (state)[name] = event.target.value;
      markSet(root);
      if (name === "colour") {
        state.off.clear();
        acts.recolour();
      } else if (name === "relation" && graph.byCommunities) acts.reload();
      else acts.redraw();
    });
  }
  const confidence = field("confidence");
  confidence.addEventListener("input", () => {
    state.confidence = Number(confidence.value);
    confidence.nextElementSibling.textContent = state.confidence.toFixed(2);
    markSet(root);
    acts.redraw();
  });
  confidence.addEventListener("change", () => graph.byCommunities && acts.reload());
  const time = field("time");
  time.addEventListener("input", () => {
    state.asOf = Number(time.value) === today() ? null : dayText(Number(time.value));
    tellTime(root);
    standNow();
    acts.redraw();
  });
  // What contradicts what at that time is the server's to say.
  time.addEventListener("change", () => acts.reload());
  field("now").addEventListener("click", () => {
    state.asOf = null;
    acts.reload();
  });
  prepareSearch(root, acts);
}

/** @param {HTMLElement} root */
function tellTime(root) {
  const text = state.asOf ?? "now";
  const out = /** @type {HTMLElement} */ (root.querySelector("[data-time-text]"));
  out.textContent = text;
  root.querySelector("[data-time]")?.setAttribute("aria-valuetext", text);
  /** @type {HTMLElement} */ (root.querySelector("[data-now]")).hidden = !state.asOf;
}

/** Put the fields where the state and the graph have them. @param {HTMLElement} root */
export function showTools(root) {
  const field = (/** @type {string} */ name) => /** @type {any} */ (root.querySelector(`[data-${name}]`));
  field("colour").value = state.colour;
  field("claims").value = state.claims;
  field("confidence").value = String(state.confidence);
  field("confidence").nextElementSibling.textContent = state.confidence.toFixed(2);
  const types = [...new Set([...graph.nodes.values()].map((node) => node.type))].sort();
  options(field("type"), types, state.type, "All types");
  showRelations(field("relation"));
  const time = field("time");
  const first = Math.min(graph.firstDay ?? today(), today() - 1);
  time.min = String(first);
  time.max = String(Math.max(graph.lastDay ?? today(), today()));
  time.disabled = graph.firstDay === null;
  time.value = String(dayNumber(state.asOf) ?? today());
  tellTime(root);
  markSet(root);
}

/** Mark the filters that leave something out. @param {HTMLElement} root */
function markSet(root) {
  const isSet = { type: !!state.type, relation: !!state.relation || !!state.layer, claims: state.claims !== "holding", confidence: state.confidence > 0 };
  for (const [name, on] of Object.entries(isSet)) root.querySelector(`[data-${name}]`)?.classList.toggle("is-set", on);
}

/** @param {HTMLSelectElement} select @param {string[]} values @param {string} chosen @param {string} all */
function options(select, values, chosen, all) {
  const wanted = chosen && !values.includes(chosen) ? [...values, chosen] : values;
  const made = wanted.map((each) => new Option(each.replaceAll("_", " "), each, false, each === chosen));
  select.replaceChildren(new Option(all, "", false, !chosen), ...made);
}

/** The value of an option for all relations of a layer: no relation type begins so. */
const WHOLE = "*";

/** @param {string} value a relation type, a whole layer, or "" for all */
function chooseRelation(value) {
  state.layer = value.startsWith(WHOLE) ? value.slice(WHOLE.length) : "";
  state.relation = value.startsWith(WHOLE) ? "" : value;
}

/** The relation types that are drawn; claims and statements apart, where there are both. @param {HTMLSelectElement} select */
function showRelations(select) {
  const layers = new Map([...graph.claims.values()].map((claim) => [claim.relation, claim.layer]));
  const of = (/** @type {string} */ layer) => [...layers.keys()].filter((each) => layers.get(each) === layer).sort();
  options(select, of("claim"), layers.get(state.relation) === "statement" ? "" : state.relation, "All relations");
  if (!state.layer && !of("statement").length) return;
  const claims = Object.assign(document.createElement("optgroup"), { label: "Claims" });
  claims.append(new Option("All claims", `${WHOLE}claim`), ...[...select.options].slice(1));
  const statements = Object.assign(document.createElement("optgroup"), { label: "Statements, as written" });
  statements.append(new Option("All statements", `${WHOLE}statement`), ...of("statement").map((each) => new Option(`“${each.replaceAll("_", " ")}”`, each)));
  select.append(claims, statements);
  select.value = state.layer ? WHOLE + state.layer : state.relation;
}

const FIRST_IN_LEGEND = 11;
const FIRST_ON_A_TELEPHONE = 4;
let isLegendWhole = false;

/** The groups of the drawing with their colours: the largest, or all of them. @param {HTMLElement} root @param {() => void} changed */
export function showLegend(root, changed) {
  const legend = /** @type {HTMLElement} */ (root.querySelector("[data-legend]"));
  const groups = groupsOfLegend();
  const first = matchMedia("(max-width: 760px)").matches ? FIRST_ON_A_TELEPHONE : FIRST_IN_LEGEND;
  // One more line would be as long as the button that opens it.
  const shown = isLegendWhole || groups.length <= first + 1 ? groups : groups.filter(([group], at) => at < first || state.off.has(group));
  const items = shown.map(([group, count]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.group = group;
    button.setAttribute("aria-pressed", String(!state.off.has(group)));
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    dot.setAttribute("viewBox", "0 0 10 10");
    dot.setAttribute("aria-hidden", "true");
    const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    for (const [name, value] of Object.entries({ cx: "5", cy: "5", r: "5", fill: colourOf(group) })) circle.setAttribute(name, value);
    dot.append(circle);
    const label = Object.assign(document.createElement("span"), { className: "ellipsis", dir: "auto", textContent: nameOfGroup(group), title: nameOfGroup(group) });
    const number = Object.assign(document.createElement("span"), { className: "faint num", textContent: count.toLocaleString("en") });
    button.append(dot, label, number);
    const show = () => {
      for (const each of /** @type {NodeListOf<HTMLElement>} */ (legend.querySelectorAll("[data-group]"))) each.setAttribute("aria-pressed", String(!state.off.has(each.dataset.group ?? "")));
      changed();
    };
    const showAlone = () => {
      // Alone, or all again.
      const others = groupsOfLegend().map(([each]) => each).filter((each) => each !== group);
      state.off = others.every((each) => state.off.has(each)) ? new Set() : new Set(others);
      show();
    };
    button.addEventListener("click", (event) => {
      if (event.shiftKey) return showAlone();
      if (!state.off.delete(group)) state.off.add(group);
      show();
    });
    // Its two clicks have hidden the group and shown it again.
    button.addEventListener("dblclick", (event) => event.shiftKey || showAlone());
    const item = document.createElement("li");
    item.append(button);
    return item;
  });
  legend.replaceChildren(...items, ...(groups.length > first + 1 ? [moreOfLegend(root, changed, groups.length)] : []));
}

/** The line that opens the legend, or closes it. @param {HTMLElement} root @param {() => void} changed @param {number} count */
function moreOfLegend(root, changed, count) {
  const item = Object.assign(document.createElement("li"), { className: "legend-more" });
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: isLegendWhole ? "Show fewer" : `Show all ${count.toLocaleString("en")}` });
  button.dataset.more = "";
  button.setAttribute("aria-expanded", String(isLegendWhole));
  button.addEventListener("click", () => {
    isLegendWhole = !isLegendWhole;
    showLegend(root, changed);
    /** @type {HTMLElement|null} */ (root.querySelector("[data-legend] [data-more]"))?.focus({ preventScroll: true });
    changed();
  });
  item.append(button);
  return item;
}

/** Search as one types: the server finds what is not drawn too. @param {HTMLElement} root @param {Acts} acts */
function prepareSearch(root, acts) {
  const input = /** @type {HTMLInputElement} */ (root.querySelector("[data-search]"));
  const list = /** @type {HTMLElement} */ (root.querySelector("[data-hits]"));
  let turn = 0;
  let timer = 0;
  let at = -1;
  const close = () => {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const mark = (/** @type {number} */ next) => {
    const hits = [...list.querySelectorAll("[role=option]")];
    if (!hits.length) return;
    at = (next + hits.length) % hits.length;
    hits.forEach((hit, each) => hit.setAttribute("aria-selected", String(each === at)));
    hits[at].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", hits[at].id);
  };
  const ask = async () => {
    const mine = (turn += 1);
    const words = input.value.trim();
    if (!words) return close();
    const answer = await fetch(`${root.dataset.base}/find?${new URLSearchParams({ q: words })}`, { headers: { "HX-Request": "true" } }).catch(() => null);
    // To the sign-in, which leads back to this page.
    const elsewhere = answer?.headers.get("hx-redirect");
    if (elsewhere) return void location.assign(elsewhere);
    if (mine !== turn || !answer?.ok) return;
    const { nodes } = await answer.json();
    if (mine !== turn) return;
    const made = nodes.map((/** @type {any} */ hit, /** @type {number} */ number) => {
      const item = Object.assign(document.createElement("li"), { id: `hit-${number}`, className: "hit" });
      item.setAttribute("role", "option");
      const name = Object.assign(document.createElement("span"), { className: "ellipsis", dir: "auto", textContent: hit.name, title: hit.name });
      const kind = Object.assign(document.createElement("span"), { className: "faint small", textContent: `${hit.type} · ${hit.mentions.toLocaleString("en")}×` });
      item.append(name, kind);
      // The field keeps the focus until a hit is chosen; a finger may move the list meanwhile.
      item.addEventListener("mousedown", (event) => event.preventDefault());
      item.addEventListener("click", (event) => {
        close();
        // The keyboard of a telephone goes with the focus, and shows what was found.
        if (event.detail) input.blur();
        acts.goTo(hit);
      });
      return item;
    });
    if (!made.length) made.push(Object.assign(document.createElement("li"), { className: "hit faint", textContent: "No node has a name like this." }));
    list.replaceChildren(...made);
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    at = -1;
    if (nodes.length) mark(0);
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 140);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark(at + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      /** @type {HTMLElement|undefined} */ (list.querySelectorAll("[role=option]")[at])?.click();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      close();
    }
  });
  input.addEventListener("blur", close);
}
