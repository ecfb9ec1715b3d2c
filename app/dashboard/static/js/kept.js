// @ts-check
/** What was typed into a form whose session had ended: there again after signing in, for the same person. */
import { toast } from "./shared.js";

const PLACE = "citegraph.typed";
const NEVER = new Set(["password", "file", "hidden", "submit", "button"]);

/** @typedef {HTMLInputElement|HTMLTextAreaElement|HTMLSelectElement} Field */
/** @typedef {{page: string, who: string, form: string, fields: [string, string, boolean][]}} Kept */

const isSignIn = location.pathname.startsWith("/dashboard/sign-in") || location.pathname.startsWith("/dashboard/links/");
const who = () => document.querySelector(".menu-who strong")?.textContent ?? "";

/** @param {HTMLFormElement} form @returns {Field[]} the fields that somebody typed in or chose */
const fieldsOf = (form) =>
  /** @type {Field[]} */ ([...document.querySelectorAll("input, select, textarea")]).filter((field) => field.form === form && field.name && !NEVER.has(field.type));

/** @param {HTMLFormElement} form @returns {string} which form of the page it is */
const nameOf = (form) => {
  const own = form.getAttribute("action") ?? form.getAttribute("hx-post") ?? "";
  const alike = [...document.forms].filter((form) => (form.getAttribute("action") ?? form.getAttribute("hx-post") ?? "") === own);
  return `${own} ${alike.indexOf(form)}`;
};

/** @param {HTMLFormElement} form @returns {boolean} whether it is sent to change something */
const changes = (form) => form.hasAttribute("hx-post") || form.getAttribute("method") === "post";

/** @param {HTMLFormElement} form */
function keep(form) {
  const fields = fieldsOf(form).map((each) => /** @type {[string, string, boolean]} */ ([each.name, each.value, "checked" in each && each.checked]));
  /** @type {Kept} */ const kept = { page: location.pathname, who: who(), form: nameOf(form), fields };
  try {
    if (fields.length) sessionStorage.setItem(PLACE, JSON.stringify(kept));
  } catch {
    // Storage may be full or switched off: the browser's way back may still have it.
  }
}

/** @returns {Kept|null} what was kept, which is forgotten with that */
function taken() {
  try {
    const kept = sessionStorage.getItem(PLACE);
    sessionStorage.removeItem(PLACE);
    return kept ? JSON.parse(kept) : null;
  } catch {
    return null;
  }
}

/** @param {Kept} kept */
function restore(kept) {
  const form = [...document.forms].find((form) => nameOf(form) === kept.form);
  if (!form) return;
  const fields = fieldsOf(form);
  kept.fields.forEach(([name, value, checked], at) => {
    const field = fields[at];
    if (field?.name !== name) return;
    if ("checked" in field && ["checkbox", "radio"].includes(field.type)) field.checked = checked;
    else field.value = value;
  });
  form.closest("details")?.setAttribute("open", "");
  fields[0]?.focus();
  toast("You had been signed out. What you typed is here again: send it once more.");
}

/** The form that was typed in last. */
let edited = /** @type {HTMLFormElement|null} */ (null);

/** Keep what was typed and not sent yet, before the visitor leaves to sign in again. */
export function keepEdited() {
  if (edited?.isConnected && changes(edited)) keep(edited);
}

if (!isSignIn) {
  document.addEventListener("input", (event) => {
    const form = event.target instanceof Element ? event.target.closest("form") : null;
    edited = form;
  });
  const kept = taken();
  const signedInJustNow = document.referrer.startsWith(`${location.origin}/dashboard/sign-in`);
  if (kept && signedInJustNow && kept.page === location.pathname && kept.who === who()) restore(kept);
  // Before htmx, which sends some forms itself.
  document.addEventListener("submit", (event) => event.target instanceof HTMLFormElement && changes(event.target) && keep(event.target), true);
}
