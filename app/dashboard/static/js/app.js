// @ts-check
/** What every page needs: the theme, the menu of narrow screens, and the session's token on requests. */
import "./connection.js";
import "./kept.js";
import { csrfToken } from "./shared.js";

const root = document.documentElement;

/** @returns {boolean} whether the page is dark at the moment */
const isDark = () =>
  root.dataset.theme === "dark" ||
  (root.dataset.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);

document.querySelector("[data-theme-toggle]")?.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  try {
    localStorage.setItem("citegraph.theme", root.dataset.theme);
  } catch {
    // It holds for this page alone.
  }
  dispatchEvent(new CustomEvent("citegraph:theme"));
});

// A link leads to the form that it names, not to its closed cover.
const named = location.hash ? document.getElementById(location.hash.slice(1)) : null;
if (named instanceof HTMLDetailsElement) {
  named.open = true;
  // The browser goes to it first, and takes the focus away from all there is.
  addEventListener("load", () => setTimeout(() => /** @type {HTMLElement|null} */ (named.querySelector("input:not([type=hidden])"))?.focus()));
}

// The tab of this page, where not all tabs are in sight.
const tab = /** @type {HTMLElement|null} */ (document.querySelector(".tabs [aria-current]"));
if (tab?.parentElement) tab.parentElement.scrollLeft = tab.offsetLeft - (tab.parentElement.clientWidth - tab.offsetWidth) / 2;

for (const button of document.querySelectorAll("[data-toggle]")) {
  button.addEventListener("click", () => {
    const target = document.getElementById(/** @type {HTMLElement} */ (button).dataset.toggle ?? "");
    const open = target?.classList.toggle("is-open") ?? false;
    button.setAttribute("aria-expanded", String(open));
  });
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element)) return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.removeAttribute("open");
  }
  // A finger points at nothing: it taps for the exact time.
  const time = /** @type {HTMLElement|null} */ (event.target.closest("time[title]"));
  if (time && !time.closest("a, button, summary, label")) [time.title, time.textContent] = [time.textContent ?? "", time.title];
});

// The menu of a narrow window lies over the page: a click beside it closes it, and does nothing else.
const nav = document.getElementById("nav");
const opener = /** @type {HTMLElement|null} */ (document.querySelector('[data-toggle="nav"]'));
addEventListener(
  "click",
  (event) => {
    if (!nav?.classList.contains("is-open") || !(event.target instanceof Node)) return;
    if (nav.contains(event.target) || opener?.contains(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    opener?.click();
  },
  { capture: true },
);
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !nav?.classList.contains("is-open")) return;
  opener?.click();
  opener?.focus();
});

document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail;
  ctx.request.headers["X-CSRF-Token"] = csrfToken();
});
