// @ts-check
/** What the page shows: the graph as the server sent it, what the visitor chose, and the address that restores it. */

/** @typedef {{id: string, name: string, type: string, mentions: number, degree: number, confidence: number, group: number, x: number, y: number, room: number}} Node */
/** @typedef {{id: string, title: string, level: number, members: number, x: number, y: number, radius: number, report: boolean, open: boolean, root: number}} Group */
/** @typedef {{weight: number, confidence: number, sources: number, since: number|null, until: number|null, flags: number}} Span */
/** @typedef {{weight: number, confidence: number, sources: number, supported: boolean, contested: boolean, ended: boolean}} Standing */
/** @typedef {{key: string, from: string, to: string, relation: string, layer: "claim"|"statement", spans: Span[], now: Standing|null}} Claim */
/** @typedef {{key: string, first: string, second: string, claims: number, weight: number, confidence: number}} Tie */

export const SUPPORTED = 1;
export const DENIED = 2;
export const CONTESTED = 4;
const HOLDS_TODAY = 8;
const MOST_IN_ADDRESS = 60;
export const MOST_SHOWN = 200;

/** What the server sent last. */
export const graph = {
  /** @type {Map<string, Node>} */ nodes: new Map(),
  /** @type {Group[]} */ groups: [],
  /** @type {Map<string, Claim>} */ claims: new Map(),
  /** @type {Tie[]} */ ties: [],
  /** @type {string[]} */ notes: [],
  byCommunities: false,
  total: 0,
  /** @type {number|null} */ firstDay: null,
  /** @type {number|null} */ lastDay: null,
};

/** What the visitor chose. Everything here is in the address. */
export const state = {
  colour: "community",
  confidence: 0,
  claims: "holding",
  type: "",
  relation: "",
  layer: "",
  /** @type {string|null} YYYY-MM-DD */ asOf: null,
  /** @type {Set<string>} groups of the legend */ off: new Set(),
  /** @type {Set<string>} */ hidden: new Set(),
  /** @type {Set<string>} */ opened: new Set(),
  /** @type {Set<string>} drawn because somebody asked */ shown: new Set(),
  /** @type {string|null} the node around which alone is drawn */ only: null,
  /** @type {Map<string, [number, number]>} */ pinned: new Map(),
  /** @type {{kind: string, id: string, other?: string, relation?: string}|null} */ chosen: null,
  /** @type {{x: number, y: number, ratio: number}|null} */ camera: null,
};

/** What passes: not in the address. */
export const passing = {
  /** @type {string|null} */ hovered: null,
  /** @type {string|null} */ focused: null,
  /** @type {string|null} the node that is dragged: drawn apart from the rest */ dragged: null,
  /** @type {string|null} the first of two nodes */ pathFrom: null,
  /** @type {{nodes: Set<string>, claims: Set<string>}|null} */ lit: null,
  /** @type {Set<string>} nodes around `only` */ around: new Set(),
};

/** @param {string|null} day @returns {number|null} */
export const dayNumber = (day) => (day ? Math.round(Date.parse(`${day}T00:00:00Z`) / 86_400_000) : null);
/** @param {number} day */
export const dayText = (day) => new Date(day * 86_400_000).toISOString().slice(0, 10);
export const today = () => Math.floor(Date.now() / 86_400_000);

/** @param {any} sent */
export function take(sent) {
  const { nodes, claims } = sent;
  graph.nodes = new Map(
    nodes.id.map((/** @type {string} */ id, /** @type {number} */ at) => {
      const [x, y] = state.pinned.get(id) ?? [nodes.x[at], nodes.y[at]];
      return [id, { id, name: nodes.name[at], type: sent.types[nodes.type[at]], mentions: nodes.mentions[at], degree: nodes.degree[at], confidence: nodes.confidence[at], group: nodes.group[at], x, y, room: nodes.room[at] }];
    }),
  );
  graph.groups = sent.groups;
  graph.claims = new Map();
  const statements = new Set(sent.statements);
  claims.from.forEach((/** @type {number} */ from, /** @type {number} */ at) => {
    const relation = sent.relations[claims.relation[at]];
    const [source, target] = [nodes.id[from], nodes.id[claims.to[at]]];
    const key = `${source} ${relation} ${target}`;
    const layer = statements.has(claims.relation[at]) ? "statement" : "claim";
    const claim = graph.claims.get(key) ?? { key, from: source, to: target, relation, layer, spans: [], now: null };
    claim.spans.push({ weight: claims.weight[at], confidence: claims.confidence[at], sources: claims.sources[at], since: claims.since[at], until: claims.until[at], flags: claims.flags[at] });
    graph.claims.set(key, claim);
  });
  const endOf = (/** @type {number} */ end) => (end < 0 ? `g:${sent.groups[-1 - end].id}` : nodes.id[end]);
  graph.ties = sent.ties.map((/** @type {number[]} */ [first, second, number, weight, confidence]) => {
    const ends = [endOf(first), endOf(second)];
    return { key: `tie ${ends.join(" ")}`, first: ends[0], second: ends[1], claims: number, weight, confidence };
  });
  [graph.notes, graph.byCommunities, graph.total, graph.firstDay, graph.lastDay] = [sent.notes, sent.byCommunities, sent.total, sent.firstDay, sent.lastDay];
  standNow();
}

/** Work out how each claim stands at the moment that is shown. */
export function standNow() {
  const day = dayNumber(state.asOf);
  for (const claim of graph.claims.values()) {
    const asserted = claim.spans.filter((span) => !(span.flags & DENIED));
    const holding = asserted.filter((span) => (day === null ? span.flags & HOLDS_TODAY : (span.since ?? -Infinity) <= day && day < (span.until ?? Infinity)));
    // What ended today is over on the day that begins next.
    const over = asserted.filter((span) => span.until !== null && span.until <= (day ?? today() + 1));
    const rows = holding.length ? holding : over;
    claim.now = rows.length
      ? {
          weight: rows.reduce((sum, span) => sum + span.weight, 0),
          confidence: Math.max(...rows.map((span) => span.confidence)),
          sources: rows.reduce((sum, span) => sum + span.sources, 0),
          supported: rows.some((span) => span.flags & SUPPORTED),
          contested: rows.some((span) => span.flags & CONTESTED),
          ended: !holding.length,
        }
      : null;
  }
}

/** @param {Node} node @returns {string} the group of the legend that it belongs to */
export function groupOf(node) {
  if (state.colour === "community") return node.group < 0 ? "none" : graph.groups[node.group].id;
  if (state.colour === "confidence") return node.confidence >= 0.8 ? "0.8 to 1" : node.confidence >= 0.5 ? "0.5 to 0.8" : "below 0.5";
  return node.type;
}

/** @param {Node} node */
export function isShown(node) {
  if (state.hidden.has(node.id) || state.off.has(groupOf(node))) return false;
  if (state.only && !passing.around.has(node.id)) return false;
  return (!state.type || node.type === state.type) && node.confidence >= state.confidence;
}

/** @param {Group} group @param {number} at its place in the list */
export function isGroupShown(group, at) {
  if (group.open || state.only || state.hidden.has(`g:${group.id}`)) return false;
  const root = graph.groups[group.root] ?? graph.groups[at];
  return state.colour !== "community" || !state.off.has(root.id);
}

/** @param {Claim} claim */
export function passes(claim) {
  const { now } = claim;
  if (!now || now.confidence < state.confidence || (state.relation && claim.relation !== state.relation) || (state.layer && claim.layer !== state.layer)) return false;
  if (now.ended) return state.claims === "ended" || state.claims === "all";
  if (state.claims === "contested") return now.contested;
  if (state.claims === "unsupported") return !now.supported;
  if (state.claims === "supported") return now.supported;
  return state.claims !== "ended";
}

/** The verb of a claim; that of a statement between quotes, for it is that of its sentence. @param {Claim} claim */
export function relationText(claim) {
  const words = claim.relation.replaceAll("_", " ");
  return claim.layer === "statement" ? `“${words}”` : words;
}

/** @param {Claim} claim whether it and both its ends are seen */
export function isSeen(claim) {
  const [from, to] = [graph.nodes.get(claim.from), graph.nodes.get(claim.to)];
  return passes(claim) && !!from && !!to && isShown(from) && isShown(to);
}

const SETS = /** @type {const} */ (["off", "hidden", "opened", "shown"]);
const WORDS = /** @type {const} */ (["colour", "claims", "type", "relation", "layer"]);
const INITIAL = { colour: "community", claims: "holding", type: "", relation: "", layer: "" };

/** Put what was chosen into the address, so that a link restores it. */
export function remember() {
  const address = new URLSearchParams();
  for (const name of WORDS) if (state[name] !== INITIAL[name]) address.set(name, state[name]);
  if (state.confidence) address.set("confidence", String(state.confidence));
  if (state.asOf) address.set("as_of", state.asOf);
  if (state.only) address.set("only", state.only);
  for (const name of SETS) if (state[name].size) address.set(name, [...state[name]].slice(-MOST_IN_ADDRESS).join("~"));
  const pins = [...state.pinned].slice(-MOST_IN_ADDRESS).map(([id, [x, y]]) => `${id}*${Math.round(x)}*${Math.round(y)}`);
  if (pins.length) address.set("pinned", pins.join("~"));
  const { chosen, camera } = state;
  if (chosen) address.set("chosen", [chosen.kind, chosen.id, chosen.other ?? "", chosen.relation ?? ""].join("*"));
  if (camera) address.set("camera", [camera.x, camera.y, camera.ratio].map((each) => each.toFixed(4)).join("*"));
  history.replaceState(null, "", address.size ? `?${address}` : location.pathname);
}

/** Take what was chosen out of the address. */
export function recall() {
  const address = new URLSearchParams(location.search);
  for (const name of WORDS) state[name] = address.get(name) ?? INITIAL[name];
  state.confidence = Math.min(1, Math.max(0, Number(address.get("confidence")) || 0));
  const day = address.get("as_of") ?? "";
  state.asOf = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)) ? day : null;
  const id = /^[0-9a-f]{32}$/;
  const only = address.get("only") ?? "";
  state.only = id.test(only) ? only : null;
  for (const name of SETS) state[name] = new Set((address.get(name) ?? "").split("~").filter((each) => each && (name === "off" || id.test(each.replace(/^g:/, "")))));
  state.pinned = new Map(
    (address.get("pinned") ?? "")
      .split("~")
      .map((each) => each.split("*"))
      .filter(([each, x, y]) => id.test(each) && Number.isFinite(Number(x)) && Number.isFinite(Number(y)))
      .map(([each, x, y]) => [each, [Number(x), Number(y)]]),
  );
  const [kind, first, other, relation] = (address.get("chosen") ?? "").split("*");
  state.chosen = kind && id.test(first ?? "") && (!other || id.test(other)) ? { kind, id: first, other, relation } : null;
  // Links of other pages name a node or a community alone.
  for (const [name, kind] of [["node", "node"], ["community", "group"]]) {
    const named = (address.get(name) ?? "").replaceAll("-", "");
    if (id.test(named)) state.chosen = { kind, id: named };
  }
  const [x, y, ratio] = (address.get("camera") ?? "").split("*").map(Number);
  state.camera = Number.isFinite(x) && Number.isFinite(y) && ratio > 0 ? { x, y, ratio } : null;
}
