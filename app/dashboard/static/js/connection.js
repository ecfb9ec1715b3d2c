// @ts-check
/**
 * Whether the server answers and the visitor is still signed in: said on every page, and looked after until it is so.
 *
 * A small request asks every few seconds, and at once where any other request of the page fails. A form is sent only to a
 * server that has just answered, so that what was typed never gives way to the browser's own page of errors. Once the
 * server answers again the event `citegraph:back` lets the live parts of a page go on.
 */
import { keepEdited } from "./kept.js";
import { toast } from "./shared.js";

const ALIVE = "/dashboard/alive";
const REST_MS = 10_000;
const LOST_MS = 1_000;
const LONGEST_MS = 5_000;
const PATIENCE_MS = 8_000;
const AWAY = new Set([502, 503, 504]);

const banner = /** @type {HTMLElement|null} */ (document.querySelector("[data-connection]"));
const wasSignedIn = Boolean(document.querySelector('meta[name="csrf-token"]')?.getAttribute("content"));
const real = window.fetch.bind(window);
/** @type {"here"|"lost"|"signed-out"} */ let state = "here";
let wait = LOST_MS;
let timer = 0;
/** @type {Promise<boolean>|null} */ let asking = null;

/** Show how it stands, once for each change. @param {typeof state} next */
function become(next) {
  if (next === state || !banner) return;
  const before = state;
  state = next;
  for (const part of banner.querySelectorAll("[data-when]")) /** @type {HTMLElement} */ (part).hidden = part.getAttribute("data-when") !== next;
  if (before === "lost" && next === "here") {
    toast("The server answers again.");
    dispatchEvent(new CustomEvent("citegraph:back"));
  }
}

/** Ask the server for a sign of life. @returns {Promise<boolean>} whether it answered */
function ask() {
  asking ??= (async () => {
    const answer = await real(ALIVE, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => null);
    const isHere = answer !== null && !AWAY.has(answer.status);
    if (!isHere) become("lost");
    else become(wasSignedIn && answer.headers.get("x-session") === "ended" ? "signed-out" : "here");
    wait = isHere ? LOST_MS : Math.min(wait * 1.5, LONGEST_MS);
    asking = null;
    clearTimeout(timer);
    timer = setTimeout(askIfSeen, isHere ? REST_MS : wait);
    return isHere;
  })();
  return asking;
}

/** A page that nobody sees asks once it is seen again. */
function askIfSeen() {
  if (document.visibilityState === "visible") void ask();
}

// Every request of the page tells: those of htmx and of all other scripts.
window.fetch = async (...request) => {
  try {
    const answer = await real(...request);
    if (AWAY.has(answer.status)) void ask();
    return answer;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) void ask();
    throw error;
  }
};

/** Forms that were just allowed to leave. @type {WeakSet<HTMLFormElement>} */
const allowed = new WeakSet();
/** Forms whose server is being asked for. @type {WeakSet<HTMLFormElement>} */
const checked = new WeakSet();

addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.getAttribute("method") === "dialog") return;
  if (allowed.delete(form)) return;
  event.preventDefault();
  if (checked.has(form)) return;
  checked.add(form);
  const submitter = /** @type {HTMLElement|null} */ (event.submitter);
  void ask().then((isHere) => {
    checked.delete(form);
    if (!isHere) return toast("Nothing was sent. What you typed stays here: send it once the server answers.", "bad");
    allowed.add(form);
    form.requestSubmit(submitter);
  });
});

// A link leads to a page of errors while the server is away: it waits for it instead.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (state !== "lost" || event.defaultPrevented || !(link instanceof HTMLAnchorElement) || link.hash && link.pathname === location.pathname) return;
  event.preventDefault();
  void ask().then((isHere) => isHere && location.assign(link.href));
});

banner?.querySelector("[data-sign-in]")?.addEventListener("click", keepEdited);
addEventListener("citegraph:lost", () => void ask());
addEventListener("offline", () => void ask());
addEventListener("online", () => void ask());
document.addEventListener("visibilitychange", askIfSeen);
if (banner) timer = setTimeout(askIfSeen, REST_MS);
