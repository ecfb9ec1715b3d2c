// @ts-check
/** A new version: what it changes is shown in place, so that the chosen file stays chosen. */

import { addressOf, csrfToken } from "./shared.js";

const form = /** @type {HTMLFormElement|null} */ (document.querySelector("[data-version]"));

form?.addEventListener("submit", (event) => {
  const button = /** @type {HTMLButtonElement|null} */ (event.submitter);
  event.preventDefault();
  if (form && button) void send(form, button);
});

for (const hint of document.querySelectorAll("[data-no-script]")) /** @type {HTMLElement} */ (hint).hidden = true;

/** @param {HTMLFormElement} form @param {HTMLButtonElement} button */
async function send(form, button) {
  const fields = new FormData(form, button);
  const preview = /** @type {HTMLElement} */ (form.querySelector("[data-preview]"));
  button.disabled = true;
  try {
    const answer = await fetch(addressOf(form), { method: "POST", body: fields, headers: { "HX-Request": "true", "X-CSRF-Token": csrfToken() } });
    const path = answer.headers.get("hx-redirect");
    if (path) {
      location.assign(path);
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    preview.replaceChildren(...page.body.childNodes);
    for (const hint of preview.querySelectorAll("[data-no-script]")) /** @type {HTMLElement} */ (hint).hidden = true;
  } catch {
    preview.textContent = "The server did not answer. Nothing was stored; try again.";
  } finally {
    button.disabled = false;
  }
}
