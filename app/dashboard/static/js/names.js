// @ts-check
/** Offers names of nodes while one is typed: `data-names` of a form says where they are asked for. */

const REST_MS = 150;

for (const form of document.querySelectorAll("form[data-names]")) {
  const address = /** @type {HTMLElement} */ (form).dataset.names ?? "";
  for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("input[list]"))) {
    let waiting = 0;
    input.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(async () => {
        const typed = input.value.trim();
        if (!typed) return;
        const answer = await fetch(`${address}?q=${encodeURIComponent(typed)}`, { headers: { "HX-Request": "true" } });
        if (!answer.ok || input.value.trim() !== typed) return;
        const options = new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll("option");
        document.getElementById(input.getAttribute("list") ?? "")?.replaceChildren(...options);
      }, REST_MS);
    });
  }
}
