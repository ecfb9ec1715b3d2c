// What `pressing.py` has each document do: watch what is under way, say what there is to press, fill forms and press.
(() => {
const pressing = (window.__pressing = { open: 0, sent: null, acts: 0 });

const open = (change) => { pressing.open += change; };
const real = window.fetch;
window.fetch = (...all) => { open(1); return real(...all).finally(() => setTimeout(() => open(-1))); };
const send = XMLHttpRequest.prototype.send;
XMLHttpRequest.prototype.send = function (...all) {
  open(1); this.addEventListener("loadend", () => setTimeout(() => open(-1))); return send.apply(this, all);
};
window.confirm = () => true;
// What a press may do without changing the document: drawing, saving a file.
for (const [owner, name] of [[window, "requestAnimationFrame"], [URL, "createObjectURL"]]) {
  const real = owner[name].bind(owner);
  owner[name] = (...all) => { pressing.acts += 1; return real(...all); };
}
// The last listener of all: whether the browser itself sends the form.
addEventListener("submit", (event) => setTimeout(() => {
  pressing.sent = event.defaultPrevented ? "script" : "browser";
}));

// How the page stands: loaded, requests under way, who sends the form, the same document as before, parts at work.
pressing.look = () => {
  const busy = '[data-writing], .htmx-request, [aria-busy="true"], [data-explorer]:not([data-ready])';
  return [document.readyState, pressing.open, pressing.sent, Boolean(window.__same),
          [...document.querySelectorAll(busy)].some((part) => !part.closest("noscript"))];
};

// All that there is to press or to follow, with a name that is the same whenever the page is shown again.
pressing.collect = () => {
  const plain = (text) => (text ?? "").replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}/g, "*").replace(/\d+/g, "#")
    .replace(/\s+/g, " ").trim().slice(0, 60);
  const caption = (button) => plain(button.getAttribute("aria-label") ?? button.textContent) || plain(button.title);
  const inShell = (part) => !part.closest("main");
  const weigh = (button, form) => {
    const path = form?.getAttribute("action") ?? "";
    // A new password ends every session.
    if (path.endsWith("/sign-out") || path.endsWith("/password")) return 4;
    if (!form || (form.getAttribute("method") ?? "get").toLowerCase() !== "post") return 0;
    if (button.closest(".danger")) return 3;
    return button.classList.contains("button-bad") || button.closest(".menu") ? 2 : 1;
  };
  const actions = [];
  const seen = new Map();
  for (const button of document.querySelectorAll("button, input[type=submit]")) {
    if (button.disabled || button.closest("noscript, [hidden], template")) continue;
    // Hidden at this width or for good, but for what a closed part holds.
    if (!button.checkVisibility() && !button.closest("details:not([open])")) continue;
    const form = button.type === "submit" ? button.form : null;
    if (button.type === "submit" && !form) continue;
    const where = plain((form?.getAttribute("action") ?? "").split("?")[0]);
    const own = [...button.attributes].map((each) => each.name)
      .filter((name) => name.startsWith("data-") && !["data-press", "data-pressed", "data-file", "data-htmx-powered"].includes(name));
    const value = form ? `${button.name}=${plain(button.value)}` : plain(button.value);
    const name = [inShell(button) ? "shell" : "page", form ? "form" : "button", where, value, own.join(" "),
                  form && where ? "" : caption(button)].join("|");
    const parts = form ? [...form.querySelectorAll("[name]")].map((each) => plain(each.name)) : [];
    const key = name + "|" + [...new Set(parts)].sort().join(",");
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    button.dataset.press = `${key}~${nth}`;
    if (nth) continue;
    actions.push({ key, caption: caption(button), isForm: Boolean(form), inShell: inShell(button),
                   weight: weigh(button, form) });
  }
  const links = [...document.querySelectorAll("a[href]")].filter((link) => !link.closest("noscript, [hidden]"))
    .map((link) => link.getAttribute("href")).filter((href) => !href.startsWith("#"))
    .map((href) => new URL(href, location.href).href);
  return { actions, links: [...new Set(links)] };
};

// Fill the form as somebody would who means it, and say what could not be filled.
pressing.fill = (key, takes, number, day, words) => {
  const alike = [...document.querySelectorAll("[data-press]")].filter((each) => each.dataset.press?.startsWith(`${key}~`));
  // Of several, the first; what takes something away takes the last, which is seldom one's own.
  const button = takes ? alike.at(-1) : alike[0];
  document.querySelector("[data-pressed]")?.removeAttribute("data-pressed");
  button?.setAttribute("data-pressed", "");
  if (!button || button.disabled) return { gone: true };
  for (let cover = button.closest("details"); cover; cover = cover.parentElement?.closest("details")) cover.open = true;
  const form = button.type === "submit" ? button.form : null;
  const fields = form ? [...document.querySelectorAll("input, select, textarea")].filter((each) => each.form === form) : [];
  const sends = form?.getAttribute("method") === "post";
  const texts = fields.filter((each) => ["text", "textarea"].includes(each.type) && !each.readOnly);
  const groups = new Set();
  const files = [];
  for (const input of fields) {
    if (input.disabled || input.readOnly || input.type === "hidden") continue;
    for (let cover = input.closest("details"); cover; cover = cover.parentElement?.closest("details")) cover.open = true;
    if (input.type === "file") { input.dataset.file = "yes"; files.push(1); continue; }
    if (input.type === "checkbox" || input.type === "radio") {
      const alike = fields.filter((each) => each.type === input.type && each.name === input.name);
      if (!groups.has(input.name) && !alike.some((each) => each.checked)) input.checked = true;
      groups.add(input.name);
      continue;
    }
    if (input.tagName === "SELECT") {
      if (input.value === "" && input.required) input.selectedIndex = input.options.length - 1;
      continue;
    }
    if (input.value) {
      // Whoever sends the one text of a form has changed it.
      if (sends && texts.length === 1 && input === texts[0] && !input.list) input.value += ` ${number}`;
      continue;
    }
    const repeat = input.closest("label")?.querySelector("strong, code")?.textContent;
    const options = input.list ? [...input.list.options].map((each) => each.value) : [];
    const numeric = input.type === "number" || ["numeric", "decimal"].includes(input.inputMode);
    if (repeat && input.required) input.value = repeat;
    else if (input.type === "email") input.value = `pressed-${number}@example.org`;
    else if (input.type === "url") input.value = `https://example.com/pressed/${number}`;
    else if (input.type === "password") input.value = words.password;
    else if (input.type === "date") input.value = input.min || day;
    else if (input.type === "datetime-local") input.value = `${day}T12:00`;
    else if (numeric) input.value = input.required ? input.min || "1" : "";
    else if (options.length) input.value = options[0];
    else if (words[input.name]) input.value = words[input.name];
    else if (input.required || (sends && texts.length === 1)) input.value = `Pressed number ${number}`;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }
  return { gone: false, files: files.length, isForm: Boolean(form),
           invalid: form ? fields.filter((each) => !each.checkValidity()).map((each) => each.name) : [] };
};

// Press the button of the form that was filled last; `acts` counts what that does to the page.
pressing.press = () => {
  const button = document.querySelector("[data-pressed]");
  window.__same = true;
  Object.assign(pressing, { sent: null, acts: 0 });
  const changes = new MutationObserver((all) => { pressing.acts += all.length; });
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const focused = document.activeElement;
  button?.click();
  if (document.activeElement !== focused) pressing.acts += 1;
};

// What is shown, as far as any page has to have it.
pressing.shown = () => ({
  type: document.contentType,
  heading: Boolean(document.querySelector("h1")?.textContent.trim()),
  address: location.href,
  text: ((document.querySelector("main [role=alert]") ?? document.querySelector("main") ?? document.body)
    ?.innerText ?? "").replace(/\s+/g, " ").slice(0, 240),
});
})();
