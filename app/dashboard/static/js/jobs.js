// @ts-check
/** Jobs as they change: one stream of events for the page; where it cannot be had, the page asks again by itself. */

const box = /** @type {HTMLElement|null} */ (document.querySelector("[data-stream]"));
if (box) listen(box);

/** @param {HTMLElement} box */
function listen(box) {
  const source = new EventSource(box.dataset.stream ?? "");
  source.addEventListener("state", (event) => show(box, /** @type {MessageEvent} */ (event).data));
  source.addEventListener("end", () => {
    source.close();
    void ask(box);
  });
  source.addEventListener("error", () => {
    dispatchEvent(new CustomEvent("citegraph:lost"));
    // A stream that only broke is opened again by the browser; one that was refused is not.
    if (source.readyState === EventSource.CLOSED) void ask(box);
  });
  addEventListener("pagehide", () => source.close());
  addEventListener(
    "citegraph:back",
    () => {
      // The browser may wait for long before it opens it again.
      source.close();
      listen(box);
    },
    { once: true },
  );
}

/** Show the part of the page that changed, keeping what was open and where the keyboard is. @param {HTMLElement} box @param {string} html */
function show(box, html) {
  const part = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
  const old = box.querySelector("[data-live]");
  if (!part || !old) return;
  const focused = document.activeElement?.id;
  const open = [...old.querySelectorAll("details")].map((each) => each.open);
  part.querySelectorAll("details").forEach((each, at) => {
    if (at < open.length) each.open = open[at];
  });
  old.replaceWith(part);
  /** @type {any} */ (window).htmx?.process(part);
  if (focused) document.getElementById(focused)?.focus();
}

/**
 * Ask for the part until a server answers, which may be starting anew; while a job is under way the part then asks
 * again by itself.
 * @param {HTMLElement} box @param {number} [wait]
 */
async function ask(box, wait = 500) {
  const answer = await fetch(box.dataset.page ?? "", { headers: { "HX-Request": "true" } }).catch(() => null);
  const elsewhere = answer?.headers.get("hx-redirect");
  if (elsewhere) location.assign(elsewhere);
  else if (answer?.status === 200) show(box, await answer.text());
  else if (!answer || answer.status >= 500 || answer.status === 429) setTimeout(() => void ask(box, Math.min(wait * 2, 15_000)), wait);
}
