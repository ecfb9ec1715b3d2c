// @ts-check
/** The graph page: asks for what is drawn, and lets its parts know of one another. */
import { focusOn, listenToKeys, listenToPicture, startOrEndPath } from "./acting.js";
import { chooseColours } from "./colours.js";
import { draw, drawInNewTheme, homeOf, lookAt, lookBeside, picture, redraw } from "./drawing.js";
import { saveGraphMl, savePng, saveSvg } from "./exports.js";
import { prepareTools, showLegend, showTools } from "./filters.js";
import { choose as showPanel, preparePanel, unseenOfPath } from "./panels.js";
import { graph, MOST_SHOWN, passing, recall, remember, state, take } from "./state.js";
import { showTwin } from "./twin.js";

const root = /** @type {HTMLElement} */ (document.querySelector("[data-explorer]"));
const base = root.dataset.base ?? "";
const canvas = /** @type {HTMLElement} */ (root.querySelector("[data-canvas]"));
/** @param {string} name @returns {any} */
const part = (name) => root.querySelector(`[data-${name}]`);
let turn = 0;
/** Once the page has been painted: thousands of lines before it would hold back all that stands around them. */
const painted = new Promise((done) => (document.hidden ? done(null) : requestAnimationFrame(() => setTimeout(done))));

/** @param {string} text said to whoever listens, and shown for a moment */
function say(text) {
  part("say").textContent = text;
}

let remembering = 0;
/** @param {any} camera */
function onCamera(camera) {
  const home = homeOf(canvas);
  state.camera = Math.abs(camera.ratio - home.ratio) + Math.abs(camera.x - home.x) + Math.abs(camera.y - home.y) < 0.001 ? null : { x: camera.x, y: camera.y, ratio: camera.ratio };
  clearTimeout(remembering);
  remembering = setTimeout(remember, 400);
}

function changed() {
  redraw();
  showTwin(root, base);
  showChips();
  remember();
}

/** @param {string} path @returns {Promise<any>} */
async function fetched(path) {
  // Just as the page's head has asked for it, or it would be fetched twice.
  const answer = await fetch(`${base}/${path}`).catch(() => null);
  // To the sign-in, which leads back to this page.
  if (answer?.redirected) location.reload();
  return answer?.ok && !answer.redirected ? answer.json() : null;
}

/** Ask for what is drawn, with what was opened and shown. */
async function load() {
  const mine = (turn += 1);
  root.setAttribute("aria-busy", "true");
  const query = new URLSearchParams();
  if (state.asOf) query.set("as_of", state.asOf);
  if (graph.byCommunities || !graph.total) {
    if (state.relation) query.set("relation", state.relation);
    if (state.layer) query.set("layer", state.layer);
    if (state.confidence) query.set("confidence", String(state.confidence));
  }
  for (const each of state.opened) query.append("open", each);
  for (const each of state.shown) query.append("show", each);
  const sent = await fetched(query.size ? `data?${query}` : "data");
  if (mine !== turn) return;
  root.removeAttribute("aria-busy");
  part("loading").hidden = true;
  if (!sent) {
    part("failed").hidden = false;
    return;
  }
  part("failed").hidden = true;
  take(sent);
  await painted;
  if (mine !== turn) return;
  part("empty").hidden = graph.total > 0;
  chooseColours();
  showTools(root);
  // Before the picture, which stands beside it.
  showLegend(root, changed);
  showNotes();
  draw(canvas, onCamera);
  performance.mark("citegraph:drawn");
  listenToPicture(canvas, acts);
  showTwin(root, base);
  showChips();
  remember();
  root.dataset.ready = String(mine);
}

function showNotes() {
  part("notes").replaceChildren(...graph.notes.map((each) => Object.assign(document.createElement("p"), { textContent: each })));
}

/** What stands in the way of seeing all: opened communities, hidden nodes, a neighbourhood; each with its end. */
function showChips() {
  /** @type {[string, () => void][]} */ const chips = [];
  for (const id of state.opened) {
    const group = graph.groups.find((each) => each.id === id);
    if (group) chips.push([`Open: ${group.title}`, () => acts.close(id)]);
  }
  if (state.only) chips.push([`Only around ${graph.nodes.get(state.only)?.name ?? "a node"}`, () => acts.only(null)]);
  if (state.hidden.size) chips.push([`${state.hidden.size} hidden`, () => (state.hidden.clear(), changed())]);
  if (state.pinned.size) chips.push([`${state.pinned.size} pinned`, () => (state.pinned.clear(), load())]);
  if (state.shown.size) chips.push([`${state.shown.size} added`, () => (state.shown.clear(), load())]);
  if (passing.pathFrom) chips.push([`Choose a second node: how does ${graph.nodes.get(passing.pathFrom)?.name ?? "it"} lead there?`, () => ((passing.pathFrom = null), changed())]);
  part("chips").replaceChildren(
    ...chips.map(([text, end]) => {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "chip", title: text });
      const label = Object.assign(document.createElement("span"), { className: "ellipsis", dir: "auto", textContent: text });
      button.append(label, Object.assign(document.createElement("span"), { textContent: "×", ariaHidden: "true" }));
      button.setAttribute("aria-label", `${text}: end this`);
      button.addEventListener("click", end);
      return button;
    }),
  );
}

/** @param {string} id @returns {Promise<boolean>} whether some of what is around it was not drawn before */
async function addAround(id) {
  const found = await fetched(`around/${id}${state.asOf ? `?as_of=${state.asOf}` : ""}`);
  if (!found) return false;
  passing.around = new Set(found.nodes);
  const missing = found.nodes.filter((/** @type {string} */ each) => !graph.nodes.has(each));
  state.shown = new Set([...state.shown, ...missing].slice(-MOST_SHOWN));
  if (missing.length) await load();
  return missing.length > 0;
}

/** Nearer to the node that a link names, as far as all that its claims lead to stays in sight. @param {string} id */
function lookAround(id) {
  const node = graph.nodes.get(id);
  const ends = [...graph.claims.values()].filter((claim) => claim.from === id || claim.to === id).map((claim) => graph.nodes.get(claim.from === id ? claim.to : claim.from));
  if (!node || !ends.length) return;
  const reach = Math.max(...ends.map((end) => Math.hypot((end?.x ?? node.x) - node.x, (end?.y ?? node.y) - node.y)));
  const ratio = Math.max(0.3, (reach / 1000) * 3.5);
  // At once: nothing has been looked at yet that a movement would lead from.
  if (ratio < homeOf(canvas).ratio) lookAt(node, ratio, 1);
}

/** Where what was chosen stands: a node, or the middle of a claim's line. @param {typeof state.chosen} chosen */
function placeOf(chosen) {
  const [one, other] = [chosen?.id, chosen?.other].map((each) => graph.nodes.get(each ?? ""));
  if (chosen?.kind === "node") return one;
  return chosen?.kind === "claim" && one && other ? { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 } : null;
}

const acts = {
  redraw: changed,
  reload: load,
  recolour() {
    chooseColours();
    showLegend(root, changed);
    changed();
  },
  say,
  dropped: showChips,
  help: () => part("help").showModal(),
  fit() {
    picture()?.getCamera().animate(homeOf(canvas), { duration: 250 });
  },
  /** @param {typeof state.chosen} chosen */
  async choose(chosen) {
    await showPanel(chosen, changed);
    const at = placeOf(chosen);
    if (at) lookBeside(at, canvas, part("panel"));
    const missing = unseenOfPath();
    if (!missing.length) return;
    state.shown = new Set([...state.shown, ...missing].slice(-MOST_SHOWN));
    await load();
  },
  /** @param {string} id */
  async open(id) {
    const group = graph.groups.find((each) => each.id === id);
    if (!group) return say("That community is not in the picture.");
    if (!group.open) {
      state.opened.add(id);
      state.chosen = null;
      part("panel").hidden = true;
      await load();
      if (!graph.groups.find((each) => each.id === id)?.open) state.opened.delete(id);
    }
    // One that is open already is brought into sight.
    lookAt(group, Math.max(0.02, (group.radius / 1000) * 2.6));
    say(`${group.title} is open.`);
  },
  /** @param {string} id */
  close(id) {
    state.opened.delete(id);
    load();
  },
  /** @param {string} id */
  async expand(id) {
    const added = await addAround(id);
    say(added ? "Its neighbours were added." : "All its neighbours are drawn.");
    changed();
  },
  /** @param {string|null} id */
  async only(id) {
    state.only = id;
    if (id) await addAround(id);
    changed();
    if (id) acts.fit();
  },
  /** @param {string} key */
  hide(key) {
    state.hidden.add(key);
    passing.focused = null;
    passing.hovered = null;
    changed();
  },
  /** @param {string} id */
  pin(id) {
    const node = graph.nodes.get(id);
    if (!node) return;
    if (!state.pinned.delete(id)) state.pinned.set(id, [node.x, node.y]);
    say(state.pinned.has(id) ? "Pinned: it stays where it is." : "No longer pinned.");
    changed();
  },
  /** @param {string} id */
  startPath(id) {
    passing.pathFrom = passing.pathFrom === id ? null : id;
    say(passing.pathFrom ? "Choose the second node." : "");
    changed();
  },
  /** Show a node that was found, wherever it is. @param {{id: string, chain: string[]}} hit */
  async goTo(hit) {
    state.hidden.delete(hit.id);
    if (state.only && !passing.around.has(hit.id)) state.only = null;
    if (!graph.nodes.has(hit.id)) {
      if (graph.byCommunities) for (const each of hit.chain) state.opened.add(each);
      if (graph.byCommunities && !hit.chain.length) state.shown.add(hit.id);
      if (!graph.byCommunities) state.shown.add(hit.id);
      await load();
      if (!graph.nodes.has(hit.id)) {
        // Its community draws others: this one is added to them.
        state.shown.add(hit.id);
        await load();
      }
      for (const each of [...state.opened]) if (!graph.groups.find((group) => group.id === each)?.open) state.opened.delete(each);
    }
    const node = graph.nodes.get(hit.id);
    if (!node) return say("It could not be drawn.");
    const home = graph.groups.filter((group) => group.open && hit.chain.includes(group.id)).sort((a, b) => a.radius - b.radius)[0];
    lookAt(node, Math.min(0.35, Math.max(0.01, home && graph.byCommunities ? (home.radius / 1000) * 1.6 : 0.35)));
    await acts.choose({ kind: "node", id: hit.id });
  },
};

root.addEventListener("click", (event) => {
  const button = /** @type {HTMLElement|null} */ (event.target instanceof Element ? event.target.closest("[data-act]") : null);
  if (!button) return;
  const id = button.dataset.id ?? "";
  const act = button.dataset.act;
  event.preventDefault();
  if (act === "node" && graph.nodes.has(id)) focusAndChoose(id);
  else if (act === "node") acts.goTo({ id, chain: [] });
  else if (act === "claim") acts.choose({ kind: "claim", id, other: button.dataset.other, relation: button.dataset.relation });
  else if (act === "open") acts.open(id);
  else if (act === "close") acts.close(id);
  else if (act === "expand") acts.expand(id);
  else if (act === "only") acts.only(id);
  else if (act === "hide") (acts.hide(id), acts.choose(null));
  else if (act === "pin") acts.pin(id);
  else if (act === "path") {
    startOrEndPath(id, acts);
    // On a narrow window the panel lies over what is to be chosen next.
    if (passing.pathFrom && matchMedia("(max-width: 760px)").matches) acts.choose(null);
  }
});

/** @param {string} id */
function focusAndChoose(id) {
  focusOn(id, acts);
  passing.focused = null;
  acts.choose({ kind: "node", id });
}

part("close").addEventListener("click", () => acts.choose(null));
part("reset").addEventListener("click", () => {
  for (const each of [state.off, state.hidden, state.opened, state.shown, state.pinned]) each.clear();
  Object.assign(state, { only: null, chosen: null, confidence: 0, claims: "holding", type: "", relation: "", layer: "", asOf: null });
  Object.assign(passing, { pathFrom: null, lit: null, focused: null });
  part("panel").hidden = true;
  load().then(acts.fit);
});
part("zoom-in").addEventListener("click", () => picture()?.getCamera().animatedZoom({ duration: 150 }));
part("zoom-out").addEventListener("click", () => picture()?.getCamera().animatedUnzoom({ duration: 150 }));
part("fit").addEventListener("click", acts.fit);
part("keys").addEventListener("click", acts.help);
part("png").addEventListener("click", () => savePng(canvas));
part("svg").addEventListener("click", () => saveSvg(canvas));
part("graphml").addEventListener("click", saveGraphMl);
part("again").addEventListener("click", load);
addEventListener("citegraph:back", () => !part("failed").hidden && load());
root.querySelector(".twin")?.addEventListener("toggle", () => showTwin(root, base));
addEventListener("citegraph:theme", () => {
  if (!graph.total) return;
  drawInNewTheme(canvas, onCamera);
  listenToPicture(canvas, acts);
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || part("help").open) return;
  if (passing.pathFrom) acts.startPath(passing.pathFrom);
  else acts.choose(null);
});
addEventListener("popstate", () => location.reload());

// The filters of a narrow window and the table push the picture together.
new ResizeObserver(() => {
  if (!picture()) return;
  if (!state.camera) picture().getCamera().setState(homeOf(canvas));
  picture().scheduleRefresh();
}).observe(canvas);

recall();
preparePanel(root);
prepareTools(root, acts);
if (/** @type {any} */ (window).Sigma) {
  listenToKeys(canvas, acts);
  load().then(async () => {
    if (state.only) await addAround(state.only);
    if (state.chosen?.kind === "node" && !state.camera) lookAround(state.chosen.id);
    if (state.chosen) await acts.choose(state.chosen);
    if (state.only || state.chosen) changed();
  });
} else {
  part("loading").hidden = true;
  part("undrawn").hidden = false;
}
