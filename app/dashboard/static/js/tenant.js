// @ts-check
/** Members and keys: copying what is shown once. */

import { toast } from "./shared.js";

for (const button of document.querySelectorAll("[data-copy]")) {
  const source = /** @type {HTMLInputElement | null} */ (
    button.parentElement?.querySelector("[data-copy-from]") ?? null
  );
  if (!source || !navigator.clipboard) continue;
  button.removeAttribute("hidden");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.value);
      toast("Copied.");
    } catch {
      source.select();
      toast("The browser does not allow copying: it is selected, press Ctrl+C.", "bad");
    }
  });
}

for (const field of document.querySelectorAll("input[data-copy-from]")) {
  field.addEventListener("focus", () => /** @type {HTMLInputElement} */ (field).select());
}
