// @ts-check
/** The picture: nodes and edges by sigma; discs and titles of communities on two layers of their own. */
import { colourOf, forgetTokens, mixed, OTHER, token } from "./colours.js";
import { composeLayers } from "./composed.js";
import { drawClosedGroups, drawOpenGroups } from "./discs.js";
import { cut, directionOf, drawNames } from "./names.js";
import { drawingPrograms } from "./programs.js";
import { graph, groupOf, isGroupShown, isSeen, isShown, passing, state } from "./state.js";

/** @type {any} */ let sigma = null;
/** @type {any} */ let drawn = null;
const NEAR = 0.45;
// Pixels from the middle of a small node at which a pointer, or a finger, is still over it.
const REACH = matchMedia("(pointer: coarse)").matches ? 10 : 5;
// Room for names that stand out of the graph, where it is moved aside.
const BESIDE = 40;
// Past so many edges arrows and labels wait until one comes near.
const FEW_EDGES = 1_500;
let crowded = false;
let near = false;

export const picture = () => sigma;
export const drawnGraph = () => drawn;

/** @param {HTMLElement} canvas @param {(camera: any) => void} onCamera */
export function draw(canvas, onCamera) {
  const before = sigma?.getCamera().getState() ?? null;
  sigma?.kill();
  const { Sigma, graphology } = /** @type {any} */ (window);
  const GraphClass = graphology.Graph ?? graphology;
  drawn = new GraphClass({ multi: true, type: "mixed" });
  fill();
  // With nothing in it until all is set: else thousands of edges were worked out three times.
  sigma = new Sigma(new GraphClass({ multi: true, type: "mixed" }), canvas, {
    allowInvalidContainer: true,
    // Names are written on a layer of their own, where none lies over another.
    renderLabels: false,
    // Sizes are lengths of the drawing: what does not overlap does not at any distance.
    itemSizesReference: "positions",
    zoomToSizeRatioFunction: (/** @type {number} */ ratio) => ratio,
    stagePadding: 18,
    labelFont: token("--font"),
    labelSize: 13,
    minEdgeThickness: 0.9,
    zIndex: true,
    minCameraRatio: 0.004,
    maxCameraRatio: 3,
    defaultDrawNodeHover: drawHover,
    ...drawingPrograms(Sigma.rendering),
    nodeReducer: reduceNode,
    edgeReducer: reduceEdge,
  });
  // The square of the layout is the frame, whatever stands in it: the same link shows the same place.
  sigma.setCustomBBox({ x: [0, 1000], y: [-1000, 0] });
  sigma.createCanvasContext("open-groups", { beforeLayer: "edges" });
  sigma.createCanvasContext("closed-groups", { afterLayer: "edgeLabels" });
  sigma.createCanvasContext("names", { afterLayer: "labels" });
  sigma.createCanvasContext("dragged", { afterLayer: "hoverNodes" });
  sigma.resize(true);
  sigma.getNodeAtPosition = nodeAt;
  // Drawn in this order: a line that is looked at must not lie under those that are not.
  sigma.edgePrograms = Object.fromEntries(["thin", "line", "curved", "arrow"].map((name) => [name, sigma.edgePrograms[name]]));
  sigma.on("afterRender", () => {
    const titles = drawOpenGroups(sigma);
    drawClosedGroups(sigma);
    drawNames(sigma, canvas, titles, isNear);
  });
  const camera = sigma.getCamera();
  camera.setState(before ?? state.camera ?? homeOf(canvas));
  near = camera.ratio < NEAR;
  composeLayers(sigma, canvas, () => {
    if (camera.ratio < NEAR === near) return;
    near = !near;
    sigma.refresh();
  });
  camera.on("updated", onCamera);
  sigma.setGraph(drawn);
}

/** The node under a place of the screen, or close by it. @param {{x: number, y: number}} at @returns {string|null} */
function nodeAt(at) {
  if (passing.dragged || sigma.getMouseCaptor().draggedEvents > 0) return sigma.hoveredNode;
  const [here, beside] = [at, { x: at.x + REACH, y: at.y }].map((each) => sigma.viewportToGraph(each));
  const reach = Math.hypot(beside.x - here.x, beside.y - here.y);
  let nearest = Infinity;
  let found = null;
  drawn.forEachNode((/** @type {string} */ id, /** @type {any} */ data) => {
    if (!data.node) return;
    const distance = Math.hypot(data.x - here.x, data.y - here.y);
    if (distance < nearest && distance <= Math.max(reach, data.size) && isShown(data.node)) [nearest, found] = [distance, id];
  });
  return found;
}

/** The whole graph where the legend and the line of time leave it room. @param {HTMLElement} canvas */
export function homeOf(canvas) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const side = Math.min(width, height);
  if (!side) return { x: 0.5, y: 0.5, ratio: 1 };
  const legend = canvas.parentElement?.querySelector(".corner-left");
  const line = canvas.parentElement?.querySelector(".time-bar");
  const below = width > height && line ? height - /** @type {HTMLElement} */ (line).offsetTop : 0;
  const ratio = side / (side - below);
  const beside = Math.max(0, (width - side) / 2 - BESIDE);
  const right = Math.min(beside, (legend?.clientWidth ?? 0) / 2);
  // In a tall window the legend lies below the graph, which stands in the middle of the room above it.
  const above = Math.max(0, (height - side) / 2 - BESIDE / 2);
  const covered = height > width && legend ? height - /** @type {HTMLElement} */ (legend).offsetTop : 0;
  const up = below / 2 + Math.min(above, covered / 2);
  return { x: 0.5 - (right / side) * ratio, y: 0.5 - (up / side) * ratio, ratio };
}

/** Put what the server sent into the drawn graph. */
function fill() {
  drawn.clear();
  const mentions = [...graph.nodes.values()].map((node) => node.mentions).sort((a, b) => a - b);
  const median = Math.max(1, mentions[mentions.length >> 1] ?? 1);
  for (const node of graph.nodes.values()) {
    drawn.addNode(node.id, { x: node.x, y: -node.y, size: node.room * (node.degree ? Math.min(0.62, 0.2 + 0.08 * Math.sqrt(node.mentions / median)) : 0.16), label: cut(node.name), node });
  }
  graph.groups.forEach((group, at) => {
    if (!group.open) drawn.addNode(`g:${group.id}`, { x: group.x, y: -group.y, size: 0.001, label: "", group, at });
  });
  /** @type {Map<string, number>} */ const pairs = new Map();
  const heaviest = Math.max(0.001, ...[...graph.claims.values()].map((claim) => claim.now?.weight ?? 0));
  crowded = graph.claims.size > FEW_EDGES;
  for (const claim of graph.claims.values()) {
    const pair = claim.from < claim.to ? claim.from + claim.to : claim.to + claim.from;
    const before = pairs.get(pair) ?? 0;
    pairs.set(pair, before + 1);
    const weight = claim.now?.weight ?? 0.01;
    drawn.addDirectedEdgeWithKey(claim.key, claim.from, claim.to, { size: (graph.nodes.get(claim.from)?.room ?? 1) * (0.05 + 0.13 * Math.sqrt(weight / heaviest)), claim, nth: before });
  }
  const most_claims = Math.max(1, ...graph.ties.map((tie) => tie.claims));
  for (const tie of graph.ties) {
    if (drawn.hasNode(tie.first) && drawn.hasNode(tie.second)) drawn.addUndirectedEdgeWithKey(tie.key, tie.first, tie.second, { size: 0.4 + 6 * Math.sqrt(tie.claims / most_claims), tie, share: 0.1 + 0.3 * (tie.claims / most_claims) });
  }
}

/** Draw anew what has changed in place and look, not in what there is. */
export function redraw() {
  sigma?.refresh({ skipIndexation: false });
}

let waiting = 0;

/** Draw anew once the pointer has crossed what it only crosses. */
export function redrawSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(redraw, 50);
}

/** @param {string} id */
function isNear(id) {
  const focus = passing.hovered ?? passing.focused ?? (state.chosen?.kind === "node" ? state.chosen.id : null);
  if (passing.lit) return passing.lit.nodes.has(id);
  return !focus || !drawn.hasNode(focus) || id === focus || drawn.areNeighbors(id, focus);
}

/** @param {string} id @param {any} data */
function reduceNode(id, data) {
  if (data.group) return { ...data, hidden: !isGroupShown(data.group, data.at), color: colourOf(graph.groups[data.group.root]?.id ?? ""), zIndex: 0 };
  const close = isNear(id);
  const colour = colourOf(groupOf(data.node));
  const marked = id === passing.focused || id === passing.hovered || id === passing.pathFrom || state.chosen?.id === id || !!passing.lit?.nodes.has(id);
  return { ...data, hidden: id === passing.dragged || !isShown(data.node), color: close ? colour : mixed(colour, 0.2), highlighted: id === passing.focused || id === passing.pathFrom, zIndex: marked ? 2 : close ? 1 : 0 };
}

/** @param {string} id @param {any} data */
function reduceEdge(id, data) {
  const focus = passing.hovered ?? passing.focused ?? (state.chosen?.kind === "node" ? state.chosen.id : null);
  const faded = !!passing.lit || (!!focus && drawn.hasNode(focus));
  if (data.tie) {
    const touches = faded && !passing.lit && (data.tie.first === focus || data.tie.second === focus);
    return { ...data, type: "line", hidden: data.tie.confidence < state.confidence || data.tie.first === passing.dragged || data.tie.second === passing.dragged, color: touches ? token("--accent") : mixed(OTHER, faded ? 0.1 : Math.round(data.share * 20) / 20), zIndex: 0 };
  }
  const { claim } = data;
  const hidden = !isSeen(claim) || claim.from === passing.dragged || claim.to === passing.dragged;
  const chosen = state.chosen?.kind === "claim" && state.chosen.id === claim.from && state.chosen.other === claim.to && state.chosen.relation === claim.relation;
  const close = passing.lit ? passing.lit.claims.has(id) : chosen || (faded && (claim.from === focus || claim.to === focus));
  const now = claim.now;
  const remarkable = !now || now.ended ? null : now.contested ? token("--warn") : now.supported ? null : token("--bad");
  const colour = close ? (remarkable ?? token("--accent")) : mixed(remarkable ?? within(claim), faded ? 0.12 : now?.ended || claim.layer === "statement" ? 0.25 : remarkable ? 0.75 : 0.5);
  const type = data.nth && (close || near || !crowded) ? "curved" : close || near || !crowded ? "arrow" : "thin";
  return { ...data, hidden, type, curvature: 0.18 * Math.ceil(data.nth / 2) * (data.nth % 2 ? 1 : -1), color: colour, size: passing.lit && close ? data.size * 3 : data.size, zIndex: close ? 1 : 0 };
}

/** The colour of the group that holds both ends, so that what belongs together is seen. @param {import("./state.js").Claim} claim */
function within(claim) {
  const [from, to] = [claim.from, claim.to].map((id) => graph.nodes.get(id));
  return from && to && groupOf(from) === groupOf(to) ? colourOf(groupOf(from)) : OTHER;
}

/** @param {CanvasRenderingContext2D} context @param {any} data @param {any} settings */
function drawHover(context, data, settings) {
  context.beginPath();
  context.arc(data.x, data.y, data.size + 3, 0, Math.PI * 2);
  context.lineWidth = 2;
  context.strokeStyle = token("--accent");
  context.stroke();
  if (!data.label) return;
  context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
  const [x, height] = [data.x + data.size + 6, settings.labelSize + 10];
  context.beginPath();
  context.roundRect(x, data.y - height / 2, context.measureText(data.label).width + 14, height, 6);
  context.fillStyle = token("--raised");
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = token("--line-strong");
  context.stroke();
  context.fillStyle = token("--text");
  context.direction = directionOf(data.label);
  context.textAlign = "left";
  context.fillText(data.label, x + 7, data.y + settings.labelSize / 3);
}

/** @param {HTMLElement} canvas @param {(camera: any) => void} onCamera */
export function drawInNewTheme(canvas, onCamera) {
  forgetTokens();
  draw(canvas, onCamera);
}

/** @type {Promise<void>} */ let moving = Promise.resolve();

/** @param {{x: number, y: number, ratio?: number}} to @param {number} [duration] */
function moveTo(to, duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : 350) {
  moving = sigma.getCamera().animate(to, { duration });
}

/** Move so that a node stands beside what lies over the picture, where it lies under it. @param {{x: number, y: number}} place @param {HTMLElement} canvas @param {HTMLElement} over */
export async function lookBeside(place, canvas, over) {
  await moving;
  const at = sigma.graphToViewport({ x: place.x, y: -place.y });
  const [box, cover] = [canvas, over].map((each) => each.getBoundingClientRect());
  const below = cover.width > box.width * 0.7;
  // The buttons that stand beside what lies over the picture.
  const beside = over.parentElement?.querySelector(".zoom")?.getBoundingClientRect() ?? cover;
  const free = { left: 0, top: 0, width: below ? box.width : Math.min(cover.left, beside.left) - box.left, height: below ? cover.top - box.top : box.height };
  const rim = 24;
  const legend = over.parentElement?.querySelector(".legend")?.getBoundingClientRect();
  const edge = legend?.width ? { right: legend.right - box.left, top: legend.top - box.top } : { right: 0, top: free.height };
  const isFree = at.x > rim && at.y > rim && at.x < free.width - rim && at.y < free.height - rim;
  if (isFree && (at.x > edge.right + rim || at.y < edge.top - rim)) return;
  // Above the legend, or beside it where that is larger.
  const [above, aside] = [{ ...free, height: Math.min(edge.top, free.height) }, { ...free, left: edge.right, width: free.width - edge.right }];
  const room = above.width * above.height > aside.width * aside.height ? above : aside;
  const [here, there] = [at, { x: room.left + room.width / 2, y: room.top + room.height / 2 }].map((each) => sigma.viewportToFramedGraph(each));
  const camera = sigma.getCamera();
  moveTo({ x: camera.x + here.x - there.x, y: camera.y + here.y - there.y });
}

/** Move so that a node, or a disc, is seen well. @param {{x: number, y: number}} place @param {number} ratio @param {number} [duration] */
export function lookAt(place, ratio, duration) {
  const { x, y } = sigma.viewportToFramedGraph(sigma.graphToViewport({ x: place.x, y: -place.y }));
  moveTo({ x, y, ratio }, duration);
}
