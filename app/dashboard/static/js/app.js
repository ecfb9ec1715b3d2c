// @ts-check
/** What every page needs: the theme, the menu of narrow screens, and the session's token on requests. */
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

for (const button of document.querySelectorAll("[data-toggle]")) {
  button.addEventListener("click", () => {
    const target = document.getElementById(/** @type {HTMLElement} */ (button).dataset.toggle ?? "");
    const open = target?.classList.toggle("is-open") ?? false;
    button.setAttribute("aria-expanded", String(open));
  });
}

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.removeAttribute("open");
  }
});

document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail;
  ctx.request.headers["X-CSRF-Token"] = csrfToken();
});
