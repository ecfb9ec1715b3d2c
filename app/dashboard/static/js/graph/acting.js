// @ts-check
/** What a pointer and the keyboard do in the picture: hover, choose, drag, walk from node to node. */
import { groupAt } from "./discs.js";
import { dragTo, drop } from "./dragging.js";
import { lookAt, picture, redraw, redrawSoon } from "./drawing.js";
import { graph, isGroupShown, isSeen, isShown, passing, state } from "./state.js";

/** @typedef {{choose: (chosen: typeof state.chosen) => void, open: (group: string) => void, expand: (node: string) => void, only: (node: string|null) => void, hide: (key: string) => void, pin: (node: string) => void, startPath: (node: string) => void, say: (text: string) => void, fit: () => void, dropped: () => void, help: () => void}} Acts */

// A finger is less exact than a mouse.
const REACH = matchMedia("(pointer: coarse)").matches ? 14 : 7;
/** @type {string|null} */ let pressed = null;
// Since a button was pressed: what ends a move is no click.
let moved = false;
// Events of a hand that is not quite still.
const UNSTEADY = 3;

/** @param {any} event */
const isTouch = (event) => "touches" in event.original;

/** @param {HTMLElement} canvas @param {Acts} acts */
export function listenToPicture(canvas, acts) {
  const sigma = picture();
  const pointer = (/** @type {string} */ look) => (canvas.style.cursor = look);
  sigma.on("enterNode", (/** @type {any} */ { node, event }) => {
    // A finger that moves the picture points at none of what it passes.
    if (isTouch(event)) return void (sigma.hoveredNode = null);
    passing.hovered = node;
    pointer("pointer");
    redrawSoon();
  });
  sigma.on("leaveNode", () => {
    passing.hovered = null;
    pointer("");
    redrawSoon();
  });
  sigma.on("clickNode", (/** @type {any} */ { node, event }) => {
    if (moved) return;
    if (node.startsWith("g:")) chooseGroup(node.slice(2), acts);
    else if (event.original.shiftKey || passing.pathFrom) startOrEndPath(node, acts);
    else acts.choose({ kind: "node", id: node });
  });
  sigma.on("doubleClickNode", (/** @type {any} */ { node, event }) => {
    event.preventSigmaDefault();
    if (node.startsWith("g:")) acts.open(node.slice(2));
    else acts.expand(node);
  });
  sigma.on("clickStage", (/** @type {any} */ { event }) => {
    if (moved) return;
    const group = groupAt(sigma, event.x, event.y);
    if (group) return chooseGroup(group.id, acts);
    const claim = claimAt(event.x, event.y);
    acts.choose(claim ? { kind: "claim", id: claim.from, other: claim.to, relation: claim.relation } : null);
  });
  sigma.on("doubleClickStage", (/** @type {any} */ { event }) => {
    const group = groupAt(sigma, event.x, event.y);
    if (!group) return;
    event.preventSigmaDefault();
    acts.open(group.id);
  });
  let waiting = false;
  sigma.on("moveBody", (/** @type {any} */ { event }) => {
    if (pressed) {
      moved = true;
      event.preventSigmaDefault();
      event.original.preventDefault();
      event.original.stopPropagation();
      return dragTo(pressed, event);
    }
    if (isTouch(event)) return;
    const captor = sigma.getMouseCaptor();
    if (captor.draggedEvents > UNSTEADY) moved = true;
    if (waiting || passing.hovered || captor.isMouseDown) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (!passing.hovered) pointer(groupAt(sigma, event.x, event.y) || claimAt(event.x, event.y) ? "pointer" : "");
    });
  });
  sigma.on("downNode", (/** @type {any} */ { node, event }) => {
    moved = false;
    if (node.startsWith("g:") || event.original.button) return;
    // On a small picture a finger lies on a node nearly everywhere: it drags the chosen one alone.
    if (isTouch(event) && state.chosen?.id !== node) return;
    pressed = node;
  });
  sigma.on("downStage", () => (moved = false));
  const release = () => {
    pressed = null;
    if (drop()) acts.dropped();
  };
  sigma.on("upNode", release);
  sigma.on("upStage", release);
}

/** @param {string} id @param {Acts} acts */
function chooseGroup(id, acts) {
  if (/^0{32}$/.test(id)) acts.open(id);
  else acts.choose({ kind: "group", id });
}

/** @param {string} node @param {Acts} acts */
export function startOrEndPath(node, acts) {
  if (!passing.pathFrom || passing.pathFrom === node) return acts.startPath(node);
  const from = passing.pathFrom;
  passing.pathFrom = null;
  acts.choose({ kind: "path", id: from, other: node });
}

/** The claim whose line is nearest to a place of the screen. @param {number} x @param {number} y */
function claimAt(x, y) {
  const sigma = picture();
  let best = REACH;
  let found = null;
  /** @type {Map<string, {x: number, y: number}>} */ const places = new Map();
  const placeOf = (/** @type {string} */ id) => {
    let place = places.get(id);
    const data = sigma.getNodeDisplayData(id);
    if (!place && data) places.set(id, (place = sigma.framedGraphToViewport(data)));
    return place;
  };
  for (const claim of graph.claims.values()) {
    const [a, b] = [placeOf(claim.from), placeOf(claim.to)];
    if (!a || !b || !isSeen(claim)) continue;
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const along = Math.max(0, Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1)));
    const distance = Math.hypot(x - a.x - along * dx, y - a.y - along * dy);
    if (distance < best) [best, found] = [distance, claim];
  }
  return found;
}

/** @returns {{key: string, x: number, y: number}[]} what one can walk to, with its place on the screen */
function stops() {
  const sigma = picture();
  const nodes = [...graph.nodes.values()].filter(isShown).map((node) => ({ key: node.id, ...sigma.graphToViewport({ x: node.x, y: -node.y }) }));
  const groups = graph.groups.filter(isGroupShown).map((group) => ({ key: `g:${group.id}`, ...sigma.graphToViewport({ x: group.x, y: -group.y }) }));
  return [...nodes, ...groups];
}

/** @param {string} key @param {Acts} acts */
export function focusOn(key, acts) {
  passing.focused = key;
  const node = graph.nodes.get(key);
  const group = graph.groups.find((each) => `g:${each.id}` === key);
  const sigma = picture();
  const place = node ?? group;
  if (!place) return;
  const { x, y } = sigma.graphToViewport({ x: place.x, y: -place.y });
  const { width, height } = sigma.getDimensions();
  if (x < 40 || y < 40 || x > width - 40 || y > height - 40) lookAt(place, sigma.getCamera().ratio);
  redraw();
  acts.say(node ? `${node.name}, ${node.type}, ${node.degree} claims` : `Community ${group?.title}, ${group?.members} nodes`);
}

/** Go to the nearest stop in a direction. @param {number} dx @param {number} dy @param {Acts} acts */
function walk(dx, dy, acts) {
  const sigma = picture();
  const all = stops();
  const { width, height } = sigma.getDimensions();
  const from = all.find((each) => each.key === passing.focused) ?? { key: "", x: width / 2, y: height / 2 };
  let best = Infinity;
  let next = null;
  for (const each of all) {
    if (each.key === from.key) continue;
    const ahead = (each.x - from.x) * dx + (each.y - from.y) * dy;
    const aside = Math.abs((each.x - from.x) * dy - (each.y - from.y) * dx);
    if (from.key && ahead <= 0) continue;
    const cost = Math.abs(ahead) + 2.2 * aside;
    if (cost < best) [best, next] = [cost, each.key];
  }
  if (next) focusOn(next, acts);
}

/** @param {HTMLElement} canvas @param {Acts} acts */
export function listenToKeys(canvas, acts) {
  const arrows = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });
  canvas.addEventListener("keydown", (event) => {
    const camera = picture().getCamera();
    const arrow = arrows[event.key];
    const focused = passing.focused;
    const node = focused && !focused.startsWith("g:") ? focused : null;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (arrow && event.shiftKey) camera.animate({ x: camera.x + arrow[0] * 0.12 * camera.ratio, y: camera.y - arrow[1] * 0.12 * camera.ratio }, { duration: 80 });
    else if (arrow) walk(arrow[0], arrow[1], acts);
    else if (event.key === "+" || event.key === "=") camera.animatedZoom({ duration: 120 });
    else if (event.key === "-") camera.animatedUnzoom({ duration: 120 });
    else if (event.key === "0") acts.fit();
    else if (event.key === "?") acts.help();
    else if (event.key === "Enter" && focused) {
      if (!node) acts.open(focused.slice(2));
      else if (passing.pathFrom) startOrEndPath(node, acts);
      else acts.choose({ kind: "node", id: node });
    } else if (event.key === "e" && node) acts.expand(node);
    else if (event.key === "o" && node) acts.only(state.only ? null : node);
    else if (event.key === "h" && focused) acts.hide(focused);
    else if (event.key === "p" && node) acts.pin(node);
    else if (event.key === "s" && node) startOrEndPath(node, acts);
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("blur", () => {
    passing.focused = null;
    redraw();
  });
}
