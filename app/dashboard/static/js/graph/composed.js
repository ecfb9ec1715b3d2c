// @ts-check
/**
 * The one canvas that is seen. All layers are drawn onto it once, so that the browser puts one picture on the screen
 * and not ten. Where drawing takes longer than a frame, this picture is moved and stretched while the camera moves,
 * and drawn anew when the camera rests or much of the window is empty.
 */
import { token } from "./colours.js";

// Milliseconds: with less, all is drawn anew for each frame.
const QUICK = 14;
const REST = 140;
// A step of a wheel soon follows the last, and a hand that holds a button is not yet at rest.
const REST_OF_COST = 2;
const REST_PRESSED = 400;
// With less of the window covered, or stretched by more, the picture is drawn anew although the camera moves.
const COVERED = 0.45;
const STRETCHED = 2.5;
// Drawing anew while the camera moves takes at most this share of the time.
const SHARE = 0.2;
const UNSEEN = new Set(["mouse", "dragged"]);

/** @typedef {{x: number, y: number}} Point */

/** @param {any} sigma @param {HTMLElement} container @param {() => void} beforeDrawing */
export function composeLayers(sigma, container, beforeDrawing) {
  const shown = document.createElement("canvas");
  shown.className = "composed";
  container.prepend(shown);
  const context = /** @type {CanvasRenderingContext2D} */ (shown.getContext("2d", { alpha: false }));
  const camera = sigma.getCamera();
  const drawLayers = sigma.render.bind(sigma);
  let cost = Infinity;
  let drawnAt = 0;
  let rest = 0;
  /** The camera's place at that time. @type {any} */ let drawnFor = null;
  /** The corners of what was drawn, as places of the graph. @type {[Point, Point]|null} */ let corners = null;

  function compose() {
    const { width, height } = sigma.elements.nodes;
    if (shown.width !== width || shown.height !== height) [shown.width, shown.height] = [width, height];
    context.fillStyle = token("--bg");
    context.fillRect(0, 0, width, height);
    for (const layer of container.querySelectorAll("canvas")) {
      const name = layer.className.replace("sigma-", "");
      if (layer !== shown && !UNSEEN.has(name)) context.drawImage(layer, 0, 0);
    }
    shown.style.cssText = "";
  }

  /** Draw all layers anew. @param {boolean} timed whether to wait for the renderer, and know how long it took */
  function drawAnew(timed) {
    clearTimeout(rest);
    const began = performance.now();
    beforeDrawing();
    drawLayers();
    compose();
    const { width, height } = sigma.getDimensions();
    corners = [sigma.viewportToFramedGraph({ x: 0, y: 0 }), sigma.viewportToFramedGraph({ x: width, y: height })];
    drawnFor = camera.getState();
    drawnAt = performance.now();
    if (!timed) return;
    // Nothing but reading waits for the renderer.
    const gl = sigma.webGLContexts.edges;
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    drawnAt = performance.now();
    cost = drawnAt - began;
  }

  /** Move what was drawn to where it is now; false where it would cover too little, or be too coarse. @param {[Point, Point]} drawn */
  function shift(drawn) {
    const { width, height } = sigma.getDimensions();
    // All that asks for places on the screen asks for those of now.
    sigma.matrix = matrixNow();
    const [from, to] = drawn.map((each) => sigma.framedGraphToViewport(each));
    const across = Math.min(width, to.x) - Math.max(0, from.x);
    const down = Math.min(height, to.y) - Math.max(0, from.y);
    const covered = Math.max(0, across) * Math.max(0, down);
    const scale = (to.x - from.x) / width;
    if ((covered < COVERED * width * height || scale > STRETCHED) && performance.now() - drawnAt > cost / SHARE) return false;
    shown.style.transform = `translate(${from.x}px, ${from.y}px) scale(${scale})`;
    return true;
  }

  const matrixNow = () => /** @type {any} */ (window).Sigma.utils.matrixFromCamera(camera.getState(), sigma.getDimensions(), sigma.getGraphDimensions(), sigma.getStagePadding());
  const hasMoved = () => !!drawnFor && ["x", "y", "ratio"].some((each) => drawnFor[each] !== camera[each]);

  sigma.render = () => {
    const moves = hasMoved();
    if (moves && corners && cost > QUICK && !sigma.needToProcess && shift(corners)) {
      cancelAnimationFrame(sigma.renderFrame);
      sigma.renderFrame = null;
      clearTimeout(rest);
      rest = setTimeout(() => drawAnew(true), Math.max(sigma.getMouseCaptor().isMouseDown ? REST_PRESSED : REST, Math.min(REST_OF_COST * cost, 2 * REST_PRESSED)));
    } else drawAnew(!moves);
    return sigma;
  };
  sigma.on("kill", () => clearTimeout(rest));
}
