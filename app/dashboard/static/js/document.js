// @ts-check
/** The text of a document: a click on marked words shows their edge or node beside them. */

const side = /** @type {HTMLElement|null} */ (document.querySelector("[data-side]"));
const body = /** @type {HTMLElement|null} */ (document.querySelector("[data-side-body]"));
/** @type {HTMLElement|null} */ let current = null;

if (side && body) {
  document.querySelector("[data-reader]")?.addEventListener("click", (event) => {
    const click = /** @type {MouseEvent} */ (event);
    const link = /** @type {HTMLAnchorElement|null} */ (/** @type {Element} */ (click.target).closest("[data-panel-link]"));
    if (!link || click.button || click.metaKey || click.ctrlKey || click.shiftKey || click.altKey) return;
    click.preventDefault();
    void open(link);
  });
  document.querySelector("[data-side-close]")?.addEventListener("click", close);
  addEventListener("keydown", (event) => event.key === "Escape" && close());
}

/** @param {HTMLAnchorElement} link */
async function open(link) {
  if (!side || !body) return;
  mark(link);
  const answer = await fetch(link.href, { headers: { "HX-Request": "true" } });
  if (!answer.ok || answer.status !== 200) {
    location.assign(link.href);
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (current !== link) return;
  body.replaceChildren(...page.body.childNodes);
  const whole = Object.assign(document.createElement("a"), { href: link.href, textContent: "Open as a page", className: "small" });
  body.append(whole);
  side.hidden = false;
  side.scrollTop = 0;
}

function close() {
  if (!side || side.hidden) return;
  side.hidden = true;
  current?.focus();
  mark(null);
}

/** @param {HTMLElement|null} link */
function mark(link) {
  current?.removeAttribute("aria-current");
  current = link;
  link?.setAttribute("aria-current", "true");
}
