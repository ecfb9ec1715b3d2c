// @ts-check
/** Shows an answer while it is written: the server sends fragments of the page, sentence by sentence. */

const result = document.getElementById("result");

/**
 * The nodes of a fragment; the policy of the page lets nothing in it run.
 * @param {string} html
 */
const fragment = (html) => document.createRange().createContextualFragment(html);

/**
 * The events of a response, as [name, data], in their order.
 * @param {Response} response
 * @returns {AsyncGenerator<[string, string]>}
 */
async function* eventsOf(response) {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    held += value.replaceAll("\r\n", "\n");
    for (let end = held.indexOf("\n\n"); end >= 0; end = held.indexOf("\n\n")) {
      const lines = held.slice(0, end).split("\n");
      held = held.slice(end + 2);
      const read = (/** @type {string} */ name) =>
        lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trimStart()).join("\n");
      if (read("event")) yield [read("event"), read("data")];
    }
  }
}

/** @param {HTMLElement} place */
async function follow(place) {
  const answer = /** @type {HTMLElement} */ (place.querySelector("[data-answer]"));
  const note = /** @type {HTMLElement} */ (place.querySelector("[data-writing] span"));
  answer.hidden = false;
  const leaving = new AbortController();
  addEventListener("pagehide", () => leaving.abort(), { once: true });
  /** @param {string|Node} problem */
  const stop = (problem) => {
    place.querySelector("[data-writing]")?.remove();
    answer.append(problem);
  };
  try {
    const response = await fetch(place.dataset.stream ?? "", {
      headers: { Accept: "text/event-stream", "HX-Request": "true" },
      signal: leaving.signal,
    });
    const elsewhere = response.headers.get("hx-redirect");
    if (elsewhere) return void location.assign(elsewhere);
    if (!response.ok) return stop(fragment(await response.text()));
    let ended = false;
    for await (const [name, data] of eventsOf(response)) {
      const part = fragment(JSON.parse(data));
      if (name === "context") {
        place.querySelector("[data-beside]")?.replaceChildren(part);
        note.textContent = "Writing …";
      } else if (name === "sentence") {
        place.querySelector("[data-sentences]")?.append(part);
      } else if (name === "done") {
        // Somebody may have opened a passage while the answer was written.
        const opened = place.querySelector(".cite.is-open")?.getAttribute("href");
        place.replaceChildren(part);
        const link = opened && place.querySelector(`.cite[href="${opened}"]`);
        if (link) open(link);
        ended = true;
      } else {
        stop(part);
        ended = true;
      }
    }
    if (!ended) stop("The answer broke off. Load the page to ask again.");
  } catch {
    if (!leaving.signal.aborted) stop("The server cannot be reached. Load the page to ask again.");
  }
}

/** Open the passage of a citation beside the answer. @param {Element} link */
function open(link) {
  const card = document.getElementById((link.getAttribute("href") ?? "").slice(1));
  if (!card) return false;
  for (const other of document.querySelectorAll(".source.is-open, .cite.is-open")) other.classList.remove("is-open");
  card.closest("details")?.setAttribute("open", "");
  card.classList.add("is-open");
  link.classList.add("is-open");
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  card.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
  card.setAttribute("tabindex", "-1");
  card.focus({ preventScroll: true });
  return true;
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a.cite") : null;
  if (link && open(link)) event.preventDefault();
});

// Asking again by another scope needs no second click.
for (const input of document.querySelectorAll("[data-ask] input[name=scope], [data-ask] input[name=as_of]")) {
  input.addEventListener("change", () => {
    const form = /** @type {HTMLFormElement|null} */ (input.closest("form"));
    const question = /** @type {HTMLInputElement|null} */ (form?.querySelector("[name=q]") ?? null);
    if (result && question?.value.trim()) form?.requestSubmit();
  });
}

if (result?.dataset.stream) follow(result);
