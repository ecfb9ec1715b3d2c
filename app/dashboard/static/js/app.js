// @ts-check
/** What every page needs: the theme, the menu of narrow screens, and the session's token on requests. */

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

/** @returns {string} what every change has to send */
export const csrfToken = () =>
  document.querySelector('meta[name="csrf-token"]')?.getAttribute("content") ?? "";

document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = /** @type {CustomEvent} */ (event).detail;
  ctx.request.headers["X-CSRF-Token"] = csrfToken();
});

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
