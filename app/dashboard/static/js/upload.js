// @ts-check
/** Files by drag and drop or by the field: handed in a few at a time, each with its progress and its outcome. */

import { addressOf, csrfToken } from "./shared.js";

/** @typedef {{file: File, state: "waiting"|"sending"|"done"|"refused", row: HTMLLIElement, tries: number}} Entry */
/** @typedef {{name: string, outcome: string, title: string, path: string, code: string, detail: string}} Outcome */

const BATCH_FILES = 20;
const BATCH_BYTES = 8_000_000;
const LONGEST_WAIT = 120;
const MOST_TRIES = 8;

for (const form of document.querySelectorAll("[data-uploader]")) start(/** @type {HTMLFormElement} */ (form));

/** @param {HTMLFormElement} form */
function start(form) {
  const field = /** @type {HTMLInputElement} */ (form.querySelector("[data-files]"));
  const drop = /** @type {HTMLElement} */ (form.querySelector("[data-drop]"));
  const list = /** @type {HTMLUListElement} */ (form.querySelector("[data-upload-list]"));
  const sum = /** @type {HTMLElement} */ (form.querySelector("[data-upload-sum]"));
  const most = Number(form.dataset.maxBytes);
  /** @type {Entry[]} */ const entries = [];
  /** @type {string|null} */ let job = null;
  let busy = false;

  /** @type {HTMLElement} */ (form.querySelector("[data-plain]")).hidden = true;
  form.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("change", () => {
    add([...(field.files ?? [])]);
    field.value = "";
  });
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("is-over");
    });
  }
  drop.addEventListener("dragleave", () => drop.classList.remove("is-over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("is-over");
    const items = [...(event.dataTransfer?.items ?? [])];
    const folders = items.filter((item) => item.webkitGetAsEntry?.()?.isDirectory).length;
    add([...(event.dataTransfer?.files ?? [])].filter((_, at) => !items[at]?.webkitGetAsEntry?.()?.isDirectory));
    if (folders) tell(`${folders === 1 ? "A folder was" : `${folders} folders were`} left out: drop the files in it.`);
  });
  addEventListener("beforeunload", (event) => {
    if (entries.some((each) => each.state === "waiting" || each.state === "sending")) event.preventDefault();
  });

  /** @param {File[]} files */
  function add(files) {
    for (const file of files) {
      /** @type {Entry} */ const entry = { file, state: "waiting", row: document.createElement("li"), tries: 0 };
      entries.push(entry);
      list.append(entry.row);
      if (file.size > most) refuse(entry, `It is over the limit of ${size(most)}.`, false);
      else if (file.size === 0) refuse(entry, "It is empty.", false);
      else draw(entry, "waiting");
    }
    list.hidden = entries.length === 0;
    void send();
  }

  /** The next files of different names that fit into one request. */
  function batch() {
    /** @type {Entry[]} */ const found = [];
    const names = new Set();
    let bytes = 0;
    for (const entry of entries) {
      if (entry.state !== "waiting" || names.has(entry.file.name)) continue;
      if (found.length && (found.length === BATCH_FILES || bytes + entry.file.size > BATCH_BYTES)) break;
      found.push(entry);
      names.add(entry.file.name);
      bytes += entry.file.size;
    }
    return found;
  }

  async function send() {
    if (busy) return;
    busy = true;
    for (let next = batch(); next.length; next = batch()) {
      for (const entry of next) draw(Object.assign(entry, { state: "sending" }), "sending", 0);
      const pause = settle(next, await post(next));
      if (pause) await new Promise((resolve) => setTimeout(resolve, pause * 1000));
      count();
    }
    busy = false;
    count();
  }

  /** @param {Entry[]} sent @returns {Promise<XMLHttpRequest>} */
  function post(sent) {
    const body = new FormData();
    for (const entry of sent) body.append("file", entry.file, entry.file.name);
    const trust = form.querySelector("[data-trust]");
    if (trust instanceof HTMLInputElement && trust.value) body.append("trust", trust.value);
    const request = new XMLHttpRequest();
    request.open("POST", addressOf(form));
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("HX-Request", "true");
    request.setRequestHeader("X-CSRF-Token", csrfToken());
    const total = sent.reduce((bytes, entry) => bytes + entry.file.size, 0);
    request.upload.addEventListener("progress", (event) => {
      // Files go one after another, so the bytes sent say how far each has come.
      let reached = event.total ? (event.loaded / event.total) * total : 0;
      for (const entry of sent) {
        draw(entry, reached >= entry.file.size ? "being checked" : "sending", Math.min(Math.max(reached / entry.file.size, 0), 1));
        reached -= entry.file.size;
      }
    });
    return new Promise((resolve) => {
      request.addEventListener("loadend", () => resolve(request));
      request.send(body);
    });
  }

  /** Say of each file what became of it. @param {Entry[]} sent @param {XMLHttpRequest} request @returns {number} seconds to wait */
  function settle(sent, request) {
    const type = request.getResponseHeader("content-type") ?? "";
    if (type.startsWith("application/json") && (request.status === 200 || request.status === 422)) {
      const answer = JSON.parse(request.responseText);
      if (Array.isArray(answer.rows)) {
        job = answer.job ?? job;
        // In the order of the files: names may come back in another spelling.
        for (const [at, entry] of sent.entries()) {
          const row = /** @type {Outcome|undefined} */ (answer.rows[at]);
          if (!row || row.outcome === "refused") refuse(entry, row?.detail ?? "It was not stored.", true);
          else done(entry, row);
        }
        return 0;
      }
    }
    const wait = Number(request.getResponseHeader("retry-after") ?? 0);
    if ((request.status === 429 || request.status === 503) && wait <= LONGEST_WAIT && sent[0].tries < MOST_TRIES) {
      for (const entry of sent) {
        entry.tries += 1;
        draw(Object.assign(entry, { state: "waiting" }), "waiting for room");
      }
      return Math.max(wait, 1);
    }
    const sentence = fault(request);
    for (const entry of sent) refuse(entry, sentence, true);
    return 0;
  }

  /** @param {XMLHttpRequest} request */
  function fault(request) {
    if (request.status === 0) return "The connection broke. Nothing of it was stored.";
    if (request.status === 204) return "You are signed out: sign in again in another window, then try again.";
    if (request.status === 413) return `It is over the limit of ${size(most)}.`;
    const type = request.getResponseHeader("content-type") ?? "";
    if (type.includes("json")) {
      try {
        return JSON.parse(request.responseText).detail ?? "It was not stored.";
      } catch {
        return "It was not stored.";
      }
    }
    return new DOMParser().parseFromString(request.responseText, "text/html").body.textContent?.trim() || "It was not stored.";
  }

  /** @param {Entry} entry @param {string} sentence @param {boolean} again */
  function refuse(entry, sentence, again) {
    entry.state = "refused";
    head(entry, "refused", "badge badge-bad");
    const detail = Object.assign(document.createElement("span"), { className: "small is-bad upload-detail", textContent: sentence });
    entry.row.append(detail);
    if (!again) return;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: "Try again" });
    button.addEventListener("click", () => {
      entry.tries = 0;
      draw(Object.assign(entry, { state: "waiting" }), "waiting");
      void send();
    });
    entry.row.children[2].after(button);
  }

  /** @param {Entry} entry @param {Outcome} row */
  function done(entry, row) {
    entry.state = "done";
    head(entry, row.outcome, row.outcome === "unchanged" ? "badge" : "badge badge-good", row.path);
  }

  /** @param {Entry} entry @param {string} words @param {number} [share] */
  function draw(entry, words, share) {
    head(entry, words, "badge");
    if (share === undefined) return;
    const bar = Object.assign(document.createElement("progress"), { className: "progress", max: 1, value: share });
    bar.setAttribute("aria-label", entry.file.name);
    entry.row.append(bar);
  }

  /** @param {Entry} entry @param {string} words @param {string} badge @param {string} [path] */
  function head(entry, words, badge, path) {
    const name = document.createElement(path ? "a" : "span");
    if (path) /** @type {HTMLAnchorElement} */ (name).href = path;
    Object.assign(name, { className: "ellipsis", textContent: entry.file.name, title: entry.file.name, dir: "auto" });
    const bytes = Object.assign(document.createElement("span"), { className: "faint small num", textContent: size(entry.file.size) });
    const state = Object.assign(document.createElement("span"), { className: badge, textContent: words });
    entry.row.replaceChildren(name, bytes, state);
  }

  /** How it stands in all, once nothing is under way. */
  function count() {
    const done = entries.filter((each) => each.state === "done").length;
    const refused = entries.filter((each) => each.state === "refused").length;
    const left = entries.length - done - refused;
    tell(left ? `${done} of ${entries.length} handed in` : `${done} handed in${refused ? `, ${refused} refused` : ""}.`);
    if (left || !job) return;
    const link = Object.assign(document.createElement("a"), { href: job, className: "button button-primary", textContent: "Watch them being read" });
    sum.append(link);
  }

  /** @param {string} words */
  function tell(words) {
    sum.hidden = false;
    sum.textContent = words;
  }
}

/** @param {number} bytes */
function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
