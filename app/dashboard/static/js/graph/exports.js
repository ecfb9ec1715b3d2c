// @ts-check
/** The view as a file: PNG and SVG as it is seen, GraphML with what is seen. */
import { colourOf, mixed, token } from "./colours.js";
import { discOnScreen } from "./discs.js";
import { drawnGraph, picture, redraw } from "./drawing.js";
import { placedNames } from "./names.js";
import { graph, isGroupShown, state } from "./state.js";
import { seen, standing } from "./twin.js";

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const link = document.createElement("a");
  link.download = name;
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @param {HTMLElement} canvas */
export function savePng(canvas) {
  redraw();
  const shown = /** @type {HTMLCanvasElement} */ (canvas.querySelector(".composed"));
  shown.toBlob((blob) => blob && save(blob, "graph.png"));
}

/** @param {unknown} text */
const escaped = (text) =>
  String(text)
    // What XML cannot hold in any form.
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);

/** @param {HTMLElement} canvas */
export function svgText(canvas) {
  const sigma = picture();
  const drawn = drawnGraph();
  const { width, height } = canvas.getBoundingClientRect();
  const parts = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.round(width)} ${Math.round(height)}" font-family="${escaped(token("--font"))}">`, `<rect width="100%" height="100%" fill="${token("--bg")}"/>`];
  const place = (/** @type {any} */ data) => sigma.framedGraphToViewport(data);
  const short = (/** @type {number} */ value) => value.toFixed(1);
  for (const group of graph.groups) {
    if (!group.open || state.only) continue;
    const disc = discOnScreen(sigma, group);
    const colour = state.colour === "community" ? colourOf(graph.groups[group.root]?.id ?? "") : "#8b93a5";
    parts.push(`<circle cx="${short(disc.x)}" cy="${short(disc.y)}" r="${short(disc.radius)}" fill="${mixed(colour, 0.07)}" stroke="${mixed(colour, 0.25)}"><title>${escaped(group.title)}</title></circle>`);
  }
  const scale = sigma.scaleSize();
  drawn.forEachEdge((/** @type {string} */ key, /** @type {any} */ _, /** @type {string} */ from, /** @type {string} */ to) => {
    const look = sigma.getEdgeDisplayData(key);
    const ends = [sigma.getNodeDisplayData(from), sigma.getNodeDisplayData(to)];
    if (!look || look.hidden || ends.some((end) => !end || end.hidden)) return;
    const [a, b] = ends.map(place);
    const arrow = drawn.isDirected(key) ? ' marker-end="url(#tip)"' : "";
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const back = (ends[1].size * scale) / length;
    parts.push(`<line x1="${short(a.x)}" y1="${short(a.y)}" x2="${short(b.x - (b.x - a.x) * back)}" y2="${short(b.y - (b.y - a.y) * back)}" stroke="${look.color}" stroke-width="${short(look.size * scale)}"${arrow}/>`);
  });
  graph.groups.forEach((group, at) => {
    if (!isGroupShown(group, at)) return;
    const disc = discOnScreen(sigma, group);
    const colour = state.colour === "community" ? colourOf(graph.groups[group.root]?.id ?? "") : "#8b93a5";
    parts.push(`<circle cx="${short(disc.x)}" cy="${short(disc.y)}" r="${short(disc.radius)}" fill="${mixed(colour, 0.22)}" stroke="${mixed(colour, 0.8)}"/>`);
    parts.push(`<text x="${short(disc.x)}" y="${short(disc.y)}" text-anchor="middle" font-size="11" fill="${token("--text")}">${escaped(group.title)} (${group.members})</text>`);
  });
  drawn.forEachNode((/** @type {string} */ key, /** @type {any} */ data) => {
    const look = sigma.getNodeDisplayData(key);
    if (!look || look.hidden || data.group) return;
    const { x, y } = place(look);
    const radius = look.size * scale;
    parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" fill="${look.color}"><title>${escaped(data.node.name)}</title></circle>`);
  });
  for (const name of placedNames()) parts.push(`<text x="${short(name.x)}" y="${short(name.y)}" font-size="${name.size}" font-weight="${name.weight}" fill="${name.colour}" stroke="${token("--bg")}" stroke-width="4" paint-order="stroke">${escaped(name.text)}</text>`);
  parts.splice(2, 0, '<defs><marker id="tip" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0 6 3 0 6z" fill="#8b93a5"/></marker></defs>');
  return `${parts.join("\n")}\n</svg>\n`;
}

/** @param {HTMLElement} canvas */
export const saveSvg = (canvas) => save(new Blob([svgText(canvas)], { type: "image/svg+xml" }), "graph.svg");

export function graphMlText() {
  const { nodes, claims } = seen();
  const kinds = [
    ["name", "node", "string"], ["type", "node", "string"], ["mentions", "node", "int"], ["confidence", "node", "double"], ["community", "node", "string"], ["x", "node", "double"], ["y", "node", "double"],
    ["relation", "edge", "string"], ["layer", "edge", "string"], ["weight", "edge", "double"], ["edge_confidence", "edge", "double"], ["sources", "edge", "int"], ["standing", "edge", "string"],
  ];
  const value = (/** @type {string} */ key, /** @type {unknown} */ text) => `<data key="${key}">${escaped(text)}</data>`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...kinds.map(([name, of, type]) => `<key id="${name}" for="${of}" attr.name="${name}" attr.type="${type}"/>`),
    '<graph edgedefault="directed">',
    ...nodes.map((node) => `<node id="${node.id}">${value("name", node.name)}${value("type", node.type)}${value("mentions", node.mentions)}${value("confidence", node.confidence)}${value("community", graph.groups[node.group]?.title ?? "")}${value("x", node.x)}${value("y", node.y)}</node>`),
    ...claims.map((claim) => {
      const now = /** @type {import("./state.js").Standing} */ (claim.now);
      return `<edge source="${claim.from}" target="${claim.to}">${value("relation", claim.relation)}${value("layer", claim.layer)}${value("weight", now.weight.toFixed(3))}${value("edge_confidence", now.confidence)}${value("sources", now.sources)}${value("standing", standing(now))}</edge>`;
    }),
    "</graph>",
    "</graphml>",
  ];
  return `${lines.join("\n")}\n`;
}

export const saveGraphMl = () => save(new Blob([graphMlText()], { type: "application/xml" }), "graph.graphml");
