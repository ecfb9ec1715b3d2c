// @ts-check
/** Colours of groups, and how a colour looks before the page's ground. */
import { graph, groupOf, state } from "./state.js";

// Twelve hues that stay apart for most eyes; further ones are made.
const HUES = ["#4e79d6", "#e08a2e", "#3f9b63", "#c94f7c", "#8a63c9", "#2f9aa8", "#b5892c", "#d1605e", "#6b8e23", "#9c6b4f", "#5b6ee1", "#c2528b"];
export const OTHER = "#8b93a5";

/** @type {Map<string, string>} */ let colours = new Map();
/** @type {[string, number][]} */ let counted = [];
/** @type {Map<string, string>} */ const tokens = new Map();

/** @param {string} name a colour or a font of the design system */
export function token(name) {
  let found = tokens.get(name);
  if (found === undefined) tokens.set(name, (found = getComputedStyle(document.documentElement).getPropertyValue(name).trim()));
  return found;
}

export function forgetTokens() {
  tokens.clear();
  mixes.clear();
}

/** Give each group its colour, the largest first. */
export function chooseColours() {
  /** @type {Map<string, number>} */ const counts = new Map();
  for (const node of graph.nodes.values()) counts.set(groupOf(node), (counts.get(groupOf(node)) ?? 0) + 1);
  if (graph.byCommunities && state.colour === "community") {
    counts.clear();
    graph.groups.forEach((group, at) => group.root === at && counts.set(group.id, group.members));
  }
  counted = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  let hue = 0;
  colours = new Map(counted.map(([group]) => [group, isNone(group) ? OTHER : hueOf(hue++)]));
}

/** Past the chosen hues further ones, each far from the one before. @param {number} at */
function hueOf(at) {
  if (at < HUES.length) return HUES[at];
  const channel = (/** @type {number} */ shift) => Math.round(140 + 62 * Math.cos(((at * 137.5 + shift) * Math.PI) / 180));
  return `#${[0, 120, 240].map((shift) => channel(shift).toString(16).padStart(2, "0")).join("")}`;
}

/** @param {string} group */
const isNone = (group) => group === "none" || /^0{32}$/.test(group);

/** @returns {[string, number][]} the groups of the legend with their sizes, the largest first */
export const groupsOfLegend = () => counted;

/** @param {string} group */
export const colourOf = (group) => colours.get(group) ?? OTHER;

/** @param {string} group */
export function nameOfGroup(group) {
  if (state.colour !== "community") return group;
  if (isNone(group)) return "in no community";
  return graph.groups.find((each) => each.id === group)?.title || "a community";
}

/** @type {Map<string, string>} */ const mixes = new Map();

/** Mix a colour into the ground: translucent lines would glow where they cross. @param {string} hex @param {number} share */
export function mixed(hex, share) {
  const key = `${hex} ${share}`;
  let found = mixes.get(key);
  if (found === undefined) {
    const read = (/** @type {string} */ text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
    const [over, under] = [read(hex), read(token("--bg"))];
    found = `#${over.map((value, at) => Math.round(value * share + under[at] * (1 - share)).toString(16).padStart(2, "0")).join("")}`;
    mixes.set(key, found);
  }
  return found;
}
