// @ts-check
/** A node that is dragged, with its lines: drawn apart, so that the rest of the picture need not be drawn anew. */
import { colourOf, token } from "./colours.js";
import { drawnGraph, picture, redraw } from "./drawing.js";
import { cut, directionOf } from "./names.js";
import { graph, groupOf, isSeen, passing, remember, state } from "./state.js";

/** Move the node to a place of the screen. @param {string} id @param {{x: number, y: number}} at */
export function dragTo(id, at) {
  const sigma = picture();
  const node = graph.nodes.get(id);
  if (!node) return;
  const { x, y } = sigma.viewportToGraph(at);
  [node.x, node.y] = [x, -y];
  if (passing.dragged !== id) {
    passing.dragged = id;
    redraw();
    sigma.elements.dragged.style.display = "block";
  }
  draw(node, at);
}

/** Leave the node where it is; it stays there. @returns {boolean} whether one was dragged */
export function drop() {
  const node = graph.nodes.get(passing.dragged ?? "");
  passing.dragged = null;
  if (!node) return false;
  state.pinned.set(node.id, [node.x, node.y]);
  picture().elements.dragged.style.display = "none";
  drawnGraph().mergeNodeAttributes(node.id, { x: node.x, y: -node.y });
  redraw();
  remember();
  return true;
}

/** @param {import("./state.js").Node} node @param {{x: number, y: number}} at */
function draw(node, at) {
  const sigma = picture();
  const { width, height } = sigma.getDimensions();
  const context = /** @type {CanvasRenderingContext2D} */ (sigma.canvasContexts.dragged);
  context.clearRect(0, 0, width, height);
  context.lineWidth = 1;
  context.strokeStyle = token("--accent");
  context.beginPath();
  drawnGraph().forEachEdge(node.id, (/** @type {string} */ _, /** @type {any} */ data, /** @type {string} */ from, /** @type {string} */ to, /** @type {any} */ one, /** @type {any} */ other) => {
    if (data.claim ? !isSeen(data.claim) : data.tie.confidence < state.confidence) return;
    const end = sigma.graphToViewport(from === node.id ? other : one);
    context.moveTo(at.x, at.y);
    context.lineTo(end.x, end.y);
  });
  context.stroke();
  const radius = drawnGraph().getNodeAttribute(node.id, "size") * sigma.scaleSize();
  context.beginPath();
  context.arc(at.x, at.y, radius, 0, Math.PI * 2);
  context.fillStyle = colourOf(groupOf(node));
  context.fill();
  context.lineWidth = 2;
  context.stroke();
  context.font = `600 13px ${token("--font")}`;
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeStyle = token("--bg");
  context.fillStyle = token("--text");
  const name = cut(node.name);
  context.direction = directionOf(name);
  context.textAlign = "left";
  context.strokeText(name, at.x + radius + 6, at.y + 4);
  context.fillText(name, at.x + radius + 6, at.y + 4);
}
