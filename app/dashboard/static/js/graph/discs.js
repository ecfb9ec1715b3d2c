// @ts-check
/** Communities as discs: open ones a tint behind their nodes, closed ones filled with title and size. */
import { colourOf, mixed, OTHER, token } from "./colours.js";
import { directionOf } from "./names.js";
import { graph, isGroupShown, passing, state } from "./state.js";

// Two or three nodes are seen to belong to one another without a disc behind them.
const FEWEST = 4;
// Below it a title would be cut after its first word.
const WIDE_ENOUGH = 95;

/** @param {any} sigma @param {import("./state.js").Group} group @returns {{x: number, y: number, radius: number}} on the screen */
export function discOnScreen(sigma, group) {
  const { x, y } = sigma.graphToViewport({ x: group.x, y: -group.y });
  const edge = sigma.graphToViewport({ x: group.x + group.radius, y: -group.y });
  return { x, y, radius: Math.hypot(edge.x - x, edge.y - y) };
}

/** @param {any} sigma @param {string} name @returns {{context: CanvasRenderingContext2D, width: number, height: number}} */
function layer(sigma, name) {
  const context = sigma.canvasContexts[name];
  const { width, height } = sigma.getDimensions();
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** @param {import("./state.js").Group} group */
const colour = (group) => (state.colour === "community" ? colourOf(graph.groups[group.root]?.id ?? group.id) : OTHER);

/** @param {any} sigma @returns {import("./names.js").Title[]} what is to be written above the discs */
export function drawOpenGroups(sigma) {
  const { context, width, height } = layer(sigma, "open-groups");
  /** @type {import("./names.js").Title[]} */ const titles = [];
  if (state.only) return titles;
  for (const group of graph.groups) {
    if (!group.open || group.members < FEWEST || (state.colour === "community" && state.off.has(group.id))) continue;
    const disc = discOnScreen(sigma, group);
    if (isOutside(disc, width, height)) continue;
    context.beginPath();
    context.arc(disc.x, disc.y, disc.radius, 0, Math.PI * 2);
    context.fillStyle = mixed(colour(group), 0.07);
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = mixed(colour(group), 0.25);
    context.stroke();
    if (group.title && disc.radius > WIDE_ENOUGH) titles.push(titleOver(context, group.title, disc));
  }
  return titles;
}

/** The title of an open community above its disc, which is written with the names: lines would cross it here. @param {CanvasRenderingContext2D} context @param {string} title @param {{x: number, y: number, radius: number}} disc */
function titleOver(context, title, disc) {
  context.font = `600 11px ${token("--font")}`;
  const text = fitted(context, title, disc.radius * 1.8);
  const half = context.measureText(text).width / 2;
  const y = disc.y - disc.radius - 6;
  return { left: disc.x - half - 4, right: disc.x + half + 4, top: y - 11, bottom: y + 4, name: { text, x: disc.x - half, y, size: 11, weight: 600, colour: token("--muted") } };
}

/** @param {any} sigma */
export function drawClosedGroups(sigma) {
  const { context, width, height } = layer(sigma, "closed-groups");
  graph.groups.forEach((group, at) => {
    if (!isGroupShown(group, at)) return;
    const disc = discOnScreen(sigma, group);
    if (isOutside(disc, width, height)) return;
    const focused = passing.focused === `g:${group.id}` || passing.hovered === `g:${group.id}`;
    const faded = !!passing.lit;
    context.beginPath();
    context.arc(disc.x, disc.y, Math.max(3, disc.radius), 0, Math.PI * 2);
    context.fillStyle = mixed(colour(group), faded ? 0.1 : 0.22);
    context.fill();
    context.lineWidth = focused ? 3 : 1.5;
    context.strokeStyle = focused ? token("--accent") : mixed(colour(group), faded ? 0.3 : 0.8);
    context.stroke();
    if (disc.radius > 16) inscription(context, group, disc);
  });
}

/** @param {CanvasRenderingContext2D} context @param {import("./state.js").Group} group @param {{x: number, y: number, radius: number}} disc */
function inscription(context, group, disc) {
  const size = Math.max(9.5, Math.min(15, disc.radius / 4));
  context.font = `600 ${size}px ${token("--font")}`;
  context.textAlign = "center";
  context.fillStyle = token("--text");
  const most = disc.radius < 20 ? 1 : disc.radius < 36 ? 2 : 3;
  const lines = broken(context, group.title || "Community", disc.radius * 1.7, most);
  const height = size * 1.25;
  let y = disc.y - ((lines.length + 1) * height) / 2 + size * 1.1;
  context.direction = directionOf(lines[0]);
  for (const line of lines) {
    context.fillText(line, disc.x, y);
    y += height;
  }
  context.font = `400 ${Math.max(9.5, size * 0.82)}px ${token("--font")}`;
  context.fillStyle = token("--muted");
  context.fillText(group.members.toLocaleString("en"), disc.x, y);
  context.textAlign = "start";
}

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} width @param {number} most lines */
function broken(context, text, width, most) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const longer = lines[lines.length - 1] ? `${lines[lines.length - 1]} ${word}` : word;
    if (context.measureText(longer).width <= width || !lines[lines.length - 1]) lines[lines.length - 1] = longer;
    else if (lines.length < most) lines.push(word);
    else {
      lines[lines.length - 1] = `${longer}…`;
      break;
    }
  }
  return lines.map((line) => fitted(context, line, width));
}

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} width */
function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let end = Math.min(text.length, 80);
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > width) end -= 1;
  return `${text.slice(0, end)}…`;
}

/** @param {{x: number, y: number, radius: number}} disc @param {number} width @param {number} height */
const isOutside = (disc, width, height) => disc.x + disc.radius < 0 || disc.y + disc.radius < 0 || disc.x - disc.radius > width || disc.y - disc.radius > height;

/** The innermost closed disc at a place of the screen. @param {any} sigma @param {number} x @param {number} y */
export function groupAt(sigma, x, y) {
  let found = null;
  graph.groups.forEach((group, at) => {
    if (!isGroupShown(group, at)) return;
    const disc = discOnScreen(sigma, group);
    if (Math.hypot(disc.x - x, disc.y - y) <= Math.max(6, disc.radius) && (!found || group.level > found.level)) found = group;
  });
  return /** @type {import("./state.js").Group|null} */ (found);
}
