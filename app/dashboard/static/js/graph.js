// @ts-check
/** The graph explorer: what the server laid out, drawn by sigma; legend, search, panels and the table twin. */

/** @typedef {{id: string, name: string, type: string, mentions: number, confidence: number, community: string|null, x: number, y: number}} Node */
/** @typedef {{id: string, from: string, to: string, relation: string, weight: number, confidence: number, sources: number, supported: boolean}} Edge */

const root = /** @type {HTMLElement} */ (document.querySelector("[data-explorer]"));
const base = root.dataset.base ?? "";
/** @param {string} name @returns {any} */
const part = (name) => root.querySelector(`[data-${name}]`);

// Twelve hues that stay apart for most eyes; further groups share a grey.
const HUES = ["#4e79d6", "#e08a2e", "#3f9b63", "#c94f7c", "#8a63c9", "#2f9aa8", "#b5892c", "#d1605e", "#6b8e23", "#9c6b4f", "#5b6ee1", "#c2528b"];
const OTHER = "#8b93a5";

const state = {
  /** @type {Node[]} */ nodes: [],
  /** @type {Edge[]} */ edges: [],
  colour: "type",
  confidence: 0,
  /** @type {Set<string>} */ hidden: new Set(),
  /** @type {string|null} */ hovered: null,
  /** @type {string|null} */ chosen: null,
};
/** @type {any} */ let sigma = null;
/** @type {any} */ let graph = null;
/** @type {Map<string, string>} */ let colours = new Map();

/** @param {string} name */
const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** @param {Node} node */
function groupOf(node) {
  if (state.colour === "community") return node.community ?? "none";
  if (state.colour === "confidence") return node.confidence >= 0.8 ? "0.8 to 1" : node.confidence >= 0.5 ? "0.5 to 0.8" : "below 0.5";
  return node.type;
}

function chooseColours() {
  /** @type {Map<string, number>} */ const counts = new Map();
  for (const node of state.nodes) counts.set(groupOf(node), (counts.get(groupOf(node)) ?? 0) + 1);
  const groups = [...counts].sort((a, b) => b[1] - a[1]);
  colours = new Map(groups.map(([group], index) => [group, group === "none" ? OTHER : HUES[index] ?? OTHER]));
  showLegend(groups.slice(0, HUES.length));
}

/** @param {[string, number][]} groups */
function showLegend(groups) {
  const legend = part("legend");
  legend.replaceChildren(
    ...groups.map(([group, count], index) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", String(!state.hidden.has(group)));
      const dot = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      dot.setAttribute("viewBox", "0 0 10 10");
      const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      for (const [name, value] of Object.entries({ cx: "5", cy: "5", r: "5", fill: colours.get(group) ?? OTHER })) circle.setAttribute(name, value);
      dot.append(circle);
      const label = document.createElement("span");
      label.textContent = state.colour === "community" ? (group === "none" ? "no community" : `community ${index + 1}`) : group;
      const number = document.createElement("span");
      number.className = "faint";
      number.textContent = String(count);
      button.append(dot, label, number);
      button.addEventListener("click", () => {
        if (!state.hidden.delete(group)) state.hidden.add(group);
        button.setAttribute("aria-pressed", String(!state.hidden.has(group)));
        sigma?.refresh();
        tellCounts();
      });
      item.append(button);
      return item;
    }),
  );
}

/** Mix a colour into the background: translucent lines would glow where they cross. @param {string} hex @param {number} share */
function mixed(hex, share) {
  const ground = token("--bg");
  const read = (/** @type {string} */ text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  const [over, under] = [read(hex), read(ground)];
  return `#${over.map((value, at) => Math.round(value * share + under[at] * (1 - share)).toString(16).padStart(2, "0")).join("")}`;
}

/** @param {Node} node */
const isShown = (node) => !state.hidden.has(groupOf(node)) && node.confidence >= state.confidence;

function draw() {
  const { Graph } = /** @type {any} */ (window).graphology ?? {};
  const GraphClass = Graph ?? /** @type {any} */ (window).graphology;
  graph = new GraphClass({ multi: true, type: "directed" });
  const most = Math.max(1, ...state.nodes.map((node) => node.mentions));
  for (const node of state.nodes) {
    graph.addNode(node.id, { x: node.x, y: -node.y, size: 3 + 11 * Math.sqrt(node.mentions / most), label: node.name, node });
  }
  const heaviest = Math.max(0.001, ...state.edges.map((edge) => edge.weight));
  for (const edge of state.edges) {
    graph.addEdgeWithKey(edge.id, edge.from, edge.to, { size: 0.7 + 2.6 * Math.sqrt(edge.weight / heaviest), label: edge.relation.replaceAll("_", " "), type: "arrow", edge });
  }
  sigma?.kill();
  const Sigma = /** @type {any} */ (window).Sigma;
  sigma = new Sigma(graph, part("canvas"), {
    allowInvalidContainer: true,
    enableEdgeEvents: true,
    renderEdgeLabels: true,
    labelDensity: 0.6,
    labelRenderedSizeThreshold: 7,
    labelFont: token("--font"),
    labelColor: { color: token("--text") },
    edgeLabelColor: { color: token("--muted") },
    edgeLabelSize: 11,
    defaultEdgeType: "arrow",
    zIndex: true,
    nodeReducer: reduceNode,
    edgeReducer: reduceEdge,
  });
  sigma.on("enterNode", (/** @type {any} */ { node }) => hover(node));
  sigma.on("leaveNode", () => hover(null));
  sigma.on("clickNode", (/** @type {any} */ { node }) => choose(node, `nodes/${node}`));
  sigma.on("clickEdge", (/** @type {any} */ { edge }) => choose(null, `edges/${edge}`));
  sigma.on("clickStage", closePanel);
  tellCounts();
  showTwin();
}

/** @param {string} id @param {any} data */
function reduceNode(id, data) {
  const focus = state.hovered ?? state.chosen;
  const near = !focus || id === focus || graph.areNeighbors(id, focus);
  const colour = colours.get(groupOf(data.node)) ?? OTHER;
  return { ...data, hidden: !isShown(data.node), color: near ? colour : mixed(colour, 0.18), label: near ? data.label : "", forceLabel: id === focus, zIndex: near ? 1 : 0 };
}

/** @param {string} id @param {any} data */
function reduceEdge(id, data) {
  const focus = state.hovered ?? state.chosen;
  const [from, to] = graph.extremities(id);
  const near = !!focus && (from === focus || to === focus);
  const colour = near ? token("--accent") : mixed(OTHER, focus ? 0.12 : 0.45);
  return { ...data, hidden: data.edge.confidence < state.confidence, color: colour, label: near ? data.label : "", zIndex: near ? 1 : 0 };
}

/** @param {string|null} id */
function hover(id) {
  state.hovered = id;
  part("canvas").style.cursor = id ? "pointer" : "";
  sigma.refresh({ skipIndexation: true });
}

function tellCounts() {
  const shown = state.nodes.filter(isShown).length;
  const edges = state.edges.filter((edge) => edge.confidence >= state.confidence).length;
  part("note").textContent = state.nodes.length ? `${shown.toLocaleString()} nodes, ${edges.toLocaleString()} claims` : "No node yet: hand in a document first.";
}

function showTwin() {
  const names = new Map(state.nodes.map((node) => [node.id, node.name]));
  part("twin").replaceChildren(
    ...state.edges.slice(0, 500).map((edge) => {
      const row = document.createElement("tr");
      const cells = [names.get(edge.from) ?? "", edge.relation.replaceAll("_", " "), names.get(edge.to) ?? "", edge.weight.toFixed(2), String(edge.sources)];
      cells.forEach((text, at) => {
        const cell = document.createElement("td");
        if (at === 1) {
          const link = document.createElement("a");
          link.href = `${base}/edges/${edge.id}`;
          link.textContent = text;
          cell.append(link);
        } else cell.textContent = text;
        cell.dir = "auto";
        if (at > 2) cell.className = "num";
        row.append(cell);
      });
      return row;
    }),
  );
  document.getElementById("node-names")?.replaceChildren(...state.nodes.map((node) => Object.assign(document.createElement("option"), { value: node.name })));
}

/** @param {string|null} node @param {string} path */
async function choose(node, path) {
  state.chosen = node;
  sigma?.refresh({ skipIndexation: true });
  const answer = await fetch(`${base}/${path}`, { headers: { "HX-Request": "true" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  part("panel-body").replaceChildren(...page.body.childNodes);
  part("panel").hidden = false;
  const expand = part("panel-body").querySelector("[data-expand]");
  expand?.addEventListener("click", () => load(`around/${expand.dataset.expand}`));
}

function closePanel() {
  part("panel").hidden = true;
  state.chosen = null;
  sigma?.refresh({ skipIndexation: true });
}

/** @param {string} path */
async function load(path) {
  part("note").textContent = "Loading …";
  const answer = await fetch(`${base}/${path}`, { headers: { "HX-Request": "true" } });
  if (!answer.ok) {
    part("note").textContent = "The graph could not be read. Load the page again.";
    return;
  }
  const found = await answer.json();
  [state.nodes, state.edges, state.hidden] = [found.nodes, found.edges, new Set()];
  chooseColours();
  draw();
}

const whole = () => load(`data?limit=${part("limit").value}`);
part("colour").addEventListener("change", (/** @type {any} */ event) => {
  state.colour = event.target.value;
  state.hidden.clear();
  chooseColours();
  sigma?.refresh();
});
part("limit").addEventListener("change", whole);
part("reset").addEventListener("click", () => (closePanel(), whole()));
part("close").addEventListener("click", closePanel);
part("confidence").addEventListener("input", (/** @type {any} */ event) => {
  state.confidence = Number(event.target.value);
  event.target.nextElementSibling.textContent = state.confidence.toFixed(2);
  sigma?.refresh();
  tellCounts();
});
part("search").addEventListener("change", (/** @type {any} */ event) => {
  const wanted = event.target.value.trim().toLocaleLowerCase();
  const node = state.nodes.find((each) => each.name.toLocaleLowerCase() === wanted) ?? state.nodes.find((each) => each.name.toLocaleLowerCase().includes(wanted));
  if (!wanted || !node) return;
  choose(node.id, `nodes/${node.id}`);
  const place = sigma.getNodeDisplayData(node.id);
  if (place) sigma.getCamera().animate({ x: place.x, y: place.y, ratio: 0.35 }, { duration: 300 });
});
part("png").addEventListener("click", () => {
  const canvas = document.createElement("canvas");
  const layers = [...root.querySelectorAll("[data-canvas] canvas")];
  const first = /** @type {HTMLCanvasElement} */ (layers[0]);
  [canvas.width, canvas.height] = [first.width, first.height];
  const context = canvas.getContext("2d");
  if (!context) return;
  context.fillStyle = token("--bg");
  context.fillRect(0, 0, canvas.width, canvas.height);
  sigma.refresh();
  for (const layer of layers) context.drawImage(/** @type {HTMLCanvasElement} */ (layer), 0, 0);
  const link = document.createElement("a");
  link.download = "graph.png";
  link.href = canvas.toDataURL("image/png");
  link.click();
});
addEventListener("citegraph:theme", () => state.nodes.length && draw());
addEventListener("keydown", (event) => event.key === "Escape" && closePanel());

if (/** @type {any} */ (window).Sigma) whole();
else part("note").textContent = "The drawing library is not here: run `make assets`. The table below needs none.";
