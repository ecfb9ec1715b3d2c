// @ts-check
/** What modules share. It does nothing by itself: imported under two addresses it would do it twice. */

/** @returns {string} what every change has to send */
export const csrfToken = () =>
  document.querySelector('meta[name="csrf-token"]')?.getAttribute("content") ?? "";

/**
 * The address that a form is sent to. `form.action` may be something else: a field of that name hides it, as a
 * field hides every property of its form that it shares its name with.
 * @param {HTMLFormElement} form
 * @returns {string}
 */
export const addressOf = (form) => form.getAttribute("action") ?? location.href;

/**
 * Say something for a few seconds.
 * @param {string} text
 * @param {"good"|"bad"} [tone]
 */
export function toast(text, tone = "good") {
  const note = document.createElement("p");
  note.className = `toast toast-${tone}`;
  note.textContent = text;
  document.getElementById("toasts")?.append(note);
  setTimeout(() => note.remove(), 6000);
}
