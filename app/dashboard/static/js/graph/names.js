// @ts-check
/** Names in the picture: the most mentioned first, beside their nodes, none over another. */
import { token } from "./colours.js";
import { graph, isSeen, passing, relationText, state } from "./state.js";

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */
/** @typedef {{text: string, x: number, y: number, size: number, weight: number, colour: string}} Name */
/** @typedef {Box & {name: Name}} Title */
/** @typedef {{node: import("./state.js").Node, rank: number, x: number, y: number, radius: number, forced: boolean}} Spot */

const LONGEST = 34;
// One name for so many square pixels: more would be a carpet.
const ROOM = 13_000;
const ROOM_OF_RELATION = 16_000;
// From here on nodes of which nothing is said have their names too.
const NEAR = 0.5;
const GAP = 5;
const PAD = 3;
// Between two names on one line, or they would be read as one.
const APART = 7;

/** @type {Name[]} */ let placed = [];
/** @type {Map<string, number>} */ const widths = new Map();

/** @returns {Name[]} the names that are seen, for the export */
export const placedNames = () => placed;

/** @param {string} text */
export const cut = (text) => (text.length > LONGEST ? `${[...text].slice(0, LONGEST - 1).join("")}…` : text);

/** The direction in which a text is read: that of its first letter. @param {string} text @returns {"rtl"|"ltr"} */
export const directionOf = (text) => (/^\P{L}*[\u0590-\u08FF\uFB1D-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u.test(text) ? "rtl" : "ltr");

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} size @param {number} weight */
function widthOf(context, text, size, weight) {
  const key = `${size} ${weight} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20_000) widths.clear();
    context.font = `${weight} ${size}px ${token("--font")}`;
    widths.set(key, (width = context.measureText(text).width));
  }
  return width;
}

/** @param {Box} one @param {Box} other */
const touch = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** The parts of the page that lie on the picture, as boxes of the picture. @param {HTMLElement} canvas @returns {Box[]} */
function partsOnTop(canvas) {
  const frame = canvas.getBoundingClientRect();
  return [...(canvas.parentElement?.querySelectorAll(".corner > *, .panel, .chip, .time-bar") ?? [])]
    .map((part) => part.getBoundingClientRect())
    .filter((box) => box.width > 0)
    .map((box) => ({ left: box.left - frame.left - PAD, top: box.top - frame.top - PAD, right: box.right - frame.left + PAD, bottom: box.bottom - frame.top + PAD }));
}

/** @param {number} rank among all nodes, from the most mentioned @param {number} count @returns {[number, number]} size and weight of its name */
function typeOf(rank, count) {
  if (rank < Math.min(8, Math.max(3, count * 0.015))) return [14, 650];
  return rank < Math.min(40, Math.max(10, count * 0.08)) ? [12.5, 550] : [11.5, 400];
}

/** Where a name may stand, the best first: right, left, under, above its node. @param {Spot} spot @param {number} width @param {number} height @returns {Box[]} */
function boxesAround(spot, width, height) {
  const [beside, half] = [spot.radius + GAP, height / 2];
  const at = (/** @type {number} */ left, /** @type {number} */ top) => ({ left, top, right: left + width, bottom: top + height });
  return [at(spot.x + beside, spot.y - half), at(spot.x - beside - width, spot.y - half), at(spot.x - width / 2, spot.y + spot.radius + 2), at(spot.x - width / 2, spot.y - spot.radius - 2 - height)];
}

/** How many nodes a name would cover. @param {Box} box @param {Spot[]} spots @param {Spot} own */
const covered = (box, spots, own) => spots.reduce((sum, each) => sum + (each !== own && each.x > box.left && each.x < box.right && each.y > box.top && each.y < box.bottom ? 1 : 0), 0);

/**
 * Write the names that have room.
 * @param {any} sigma @param {HTMLElement} canvas
 * @param {Title[]} titles of communities, which have their places
 * @param {(id: string) => boolean} isNear
 */
export function drawNames(sigma, canvas, titles, isNear) {
  const context = /** @type {CanvasRenderingContext2D} */ (sigma.canvasContexts.names);
  const { width, height } = sigma.getDimensions();
  context.clearRect(0, 0, width, height);
  const { ratio } = sigma.getCamera().getState();
  const parts = partsOnTop(canvas);
  const whole = titles.filter((title) => !parts.some((part) => touch(title, part)));
  const full = [...whole, ...parts];
  const spots = spotsIn(sigma, width, height, isNear);
  const focused = !!(passing.hovered ?? passing.focused) || state.chosen?.kind === "node" || !!passing.lit;
  placed = [];
  // The relation that was chosen stands where its line is; all else goes around it.
  const chosen = claimChosen();
  if (chosen) placeRelation(sigma, context, full, chosen, true);
  let room = Math.max(8, areaOf(spots) / ROOM);
  for (const spot of [...spots.filter((each) => each.forced), ...spots.filter((each) => !each.forced)]) {
    if (!spot.forced && (room <= 0 || !isNear(spot.node.id) || (!spot.node.degree && ratio > NEAR && !focused))) continue;
    const text = cut(spot.node.name);
    const [size, weight] = spot.forced ? [13.5, 650] : typeOf(spot.rank, graph.nodes.size);
    const free = boxesAround(spot, widthOf(context, text, size, weight), size + 3).filter((box) => box.left > 2 && box.right < width - 2 && box.top > 2 && box.bottom < height - 2 && !full.some((other) => touch(box, other)));
    const best = free.map((box, place) => ({ box, cost: covered(box, spots, spot) + place * 0.4 })).sort((a, b) => a.cost - b.cost)[0];
    const box = best?.box ?? (spot.forced ? boxesAround(spot, widthOf(context, text, size, weight), size + 3)[0] : null);
    if (!box) continue;
    room -= 1;
    full.push({ left: box.left - APART, top: box.top - 1, right: box.right + APART, bottom: box.bottom + 1 });
    // Its name stands in the frame of what is pointed at already.
    if (isFramed(spot.node.id)) continue;
    placed.push({ text, x: box.left, y: box.bottom - size * 0.3, size, weight, colour: spot.forced || size > 12 ? token("--text") : token("--muted") });
  }
  nameRelations(sigma, context, full, focused, ratio);
  for (const each of [...whole.map((title) => title.name), ...placed]) write(context, each);
}

/** The square pixels that the drawn nodes take, with what is empty between them. @param {Spot[]} spots */
function areaOf(spots) {
  const [xs, ys] = [spots.map((each) => each.x), spots.map((each) => each.y)];
  const reach = (/** @type {number[]} */ all) => all.reduce((most, each) => Math.max(most, each), 0) - all.reduce((least, each) => Math.min(least, each), Infinity);
  return spots.length ? reach(xs) * reach(ys) : 0;
}

/** @param {string} id */
const isFramed = (id) => id === passing.focused || id === passing.hovered || id === passing.pathFrom;

/** The nodes on the screen, the most mentioned first. @param {any} sigma @param {number} width @param {number} height @param {(id: string) => boolean} isNear @returns {Spot[]} */
function spotsIn(sigma, width, height, isNear) {
  const scale = sigma.scaleSize();
  /** @type {Spot[]} */ const spots = [];
  let rank = -1;
  for (const node of graph.nodes.values()) {
    rank += 1;
    const data = sigma.getNodeDisplayData(node.id);
    if (!data || data.hidden) continue;
    const { x, y } = sigma.framedGraphToViewport(data);
    if (x < 0 || y < 0 || x > width || y > height) continue;
    const { id } = node;
    const forced = isFramed(id) || (state.chosen?.kind !== "claim" && state.chosen?.id === id) || !!passing.lit?.nodes.has(id);
    if (forced || !passing.lit || isNear(id)) spots.push({ node, rank, x, y, radius: data.size * scale, forced });
  }
  return spots;
}

/** @returns {import("./state.js").Claim|undefined} */
function claimChosen() {
  const { chosen } = state;
  return chosen?.kind === "claim" ? graph.claims.get(`${chosen.id} ${chosen.relation} ${chosen.other}`) : undefined;
}

/** Write relations on the lines that are looked at, or on all where one is near. @param {any} sigma @param {CanvasRenderingContext2D} context @param {Box[]} full @param {boolean} focused @param {number} ratio */
function nameRelations(sigma, context, full, focused, ratio) {
  const { width, height } = sigma.getDimensions();
  const focus = passing.hovered ?? passing.focused ?? (state.chosen?.kind === "node" ? state.chosen.id : null);
  if (!focused && ratio > 0.3) return;
  const chosen = claimChosen();
  let room = Math.max(10, (width * height) / ROOM_OF_RELATION);
  for (const claim of graph.claims.values()) {
    if (room <= 0) return;
    if (claim === chosen) continue;
    if (passing.lit ? !passing.lit.claims.has(claim.key) : focus && claim.from !== focus && claim.to !== focus) continue;
    if (placeRelation(sigma, context, full, claim, false)) room -= 1;
  }
}

/** Write a relation on its line, if it has room or needs none. @param {any} sigma @param {CanvasRenderingContext2D} context @param {Box[]} full @param {import("./state.js").Claim} claim @param {boolean} forced */
function placeRelation(sigma, context, full, claim, forced) {
  const { width, height } = sigma.getDimensions();
  if (!isSeen(claim) && !passing.lit) return false;
  const ends = [claim.from, claim.to].map((id) => sigma.getNodeDisplayData(id));
  if (ends.some((each) => !each)) return false;
  const [a, b] = ends.map((each) => sigma.framedGraphToViewport(each));
  const now = claim.now;
  const text = relationText(claim) + (now?.ended ? " (ended)" : now?.contested ? " (contested)" : now && !now.supported ? " (unsupported)" : "");
  const long = widthOf(context, text, 11, 500);
  if (!forced && Math.hypot(a.x - b.x, a.y - b.y) < long + 12) return false;
  const [x, y] = [(a.x + b.x) / 2 - long / 2, (a.y + b.y) / 2];
  const box = { left: x - PAD, top: y - 7, right: x + long + PAD, bottom: y + 7 };
  if (box.left < 0 || box.right > width || box.top < 0 || box.bottom > height || (!forced && full.some((other) => touch(box, other)))) return false;
  full.push(box);
  placed.push({ text, x, y: y + 4, size: 11, weight: 500, colour: token("--accent") });
  return true;
}

/** With a rim in the colour of the ground, so that it is read on lines. @param {CanvasRenderingContext2D} context @param {Name} name */
function write(context, name) {
  context.font = `${name.weight} ${name.size}px ${token("--font")}`;
  context.direction = directionOf(name.text);
  context.textAlign = "left";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = token("--bg");
  context.strokeText(name.text, name.x, name.y);
  context.fillStyle = name.colour;
  context.fillText(name.text, name.x, name.y);
}
