// @ts-check
/** The chart of usage by day, drawn out of the table beneath it: both have the same numbers. */

const room = /** @type {HTMLElement | null} */ (document.querySelector("[data-usage]"));
const uPlot = /** @type {any} */ (globalThis).uPlot;

/** @param {string} name @returns {string} a colour of the theme of the moment */
const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * The rows of the table, the oldest day first.
 * @param {HTMLElement} section
 * @returns {string[][]}
 */
const rowsOf = (section) =>
  [...section.querySelectorAll("[data-day-table] tbody tr")]
    .map((row) => [...row.querySelectorAll("[data-value]")].map((cell) => cell.getAttribute("data-value") ?? ""))
    .reverse();

/** @param {number} value @param {boolean} isMoney @returns {string} */
const label = (value, isMoney) =>
  isMoney
    ? `$${value.toLocaleString("en", { maximumFractionDigits: value && Math.abs(value) < 1 ? 4 : 2 })}`
    : value.toLocaleString("en", { notation: value >= 100_000 ? "compact" : "standard" });

/**
 * The days on which the sum of a month's costs passes the budget, as the running sum of each month.
 * @param {number[]} days seconds
 * @param {number[]} costs
 * @returns {number[]}
 */
const monthSums = (days, costs) => {
  let month = -1;
  let sum = 0;
  return days.map((day, index) => {
    const now = new Date(day * 1000).getUTCMonth();
    sum = now === month ? sum + costs[index] : costs[index];
    month = now;
    return sum;
  });
};

// So that the bars of the first and of the last day are whole.
const HALF_A_DAY = 43_200;
// Steps of an axis that counts: 1, 2, 5, 10, 20, …
const WHOLE = Array.from({ length: 30 }, (_, at) => [1, 2, 5][at % 3] * 10 ** Math.floor(at / 3));

/** Room for the labels of an axis. @param {any} _ @param {string[]|null} labels */
const widthOf = (_, labels) => 14 + 7.5 * Math.max(1, ...(labels ?? []).map((each) => each?.length ?? 0));

/** @param {any} chart */
function tellNewest(chart) {
  if (chart.cursor.idx == null) chart.setLegend({ idx: chart.data[0].length - 1 });
}

/** @param {HTMLElement} section @param {HTMLElement} place @param {number} column */
function draw(section, place, column) {
  const rows = rowsOf(section);
  const days = rows.map((row) => Date.parse(`${row[0]}T00:00:00Z`) / 1000);
  const values = rows.map((row) => Number(row[column - 1]));
  const isMoney = column === 2;
  const budget = isMoney ? Number(section.dataset.budget ?? "NaN") : NaN;
  const accent = token("--accent");
  const axis = { stroke: token("--muted"), grid: { stroke: token("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui" };
  const name = section.querySelector(`[data-series] option[value="${column}"]`)?.textContent ?? "";
  const series = [
    { label: "Day", value: (/** @type {any} */ _, /** @type {number} */ at) => (at === null ? "–" : new Date(at * 1000).toISOString().slice(0, 10)) },
    { label: name, stroke: accent, fill: `${accent}55`, width: 1, points: { show: false }, paths: uPlot.paths.bars({ size: [0.72, 36] }), value: (/** @type {any} */ _, /** @type {number|null} */ at) => label(at ?? 0, isMoney) },
  ];
  // Of a day without any there is no bar, not one of no height.
  const data = [days, values.map((each) => each || null)];
  if (!Number.isNaN(budget)) {
    series.push(
      { label: "this month so far", stroke: token("--muted"), width: 1.5, points: { show: false }, value: (_, at) => (at === null ? "–" : label(at, true)) },
      { label: "budget", stroke: token("--bad"), width: 1.5, dash: [6, 4], points: { show: false }, value: (_, at) => (at === null ? "–" : label(at, true)) },
    );
    data.push(monthSums(days, values), days.map(() => budget));
  }
  place.replaceChildren();
  return new uPlot(
    {
      width: place.clientWidth,
      height: 210,
      tzDate: (/** @type {number} */ at) => uPlot.tzDate(new Date(at * 1000), "UTC"),
      scales: { x: { range: (/** @type {any} */ _, /** @type {number} */ min, /** @type {number} */ max) => [min - HALF_A_DAY, max + HALF_A_DAY] }, y: { range: (/** @type {any} */ _, /** @type {number} */ _min, /** @type {number} */ max) => [0, max > 0 ? max * 1.08 : 1] } },
      // Days are named by day and month; half a document is none.
      axes: [{ ...axis, grid: { show: false }, space: 70, values: (/** @type {any} */ _, /** @type {number[]} */ at) => at.map((each) => new Date(each * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" })) }, { ...axis, size: widthOf, ...(isMoney ? {} : { incrs: WHOLE }), values: (/** @type {any} */ _, /** @type {number[]} */ at) => at.map((each) => label(each, isMoney)) }],
      cursor: { y: false, points: { show: false } },
      // Where no day is pointed at, the newest is told.
      hooks: { ready: [tellNewest], setCursor: [tellNewest] },
      series,
    },
    data,
    place,
  );
}

if (room && uPlot) {
  const place = /** @type {HTMLElement} */ (room.querySelector("[data-chart]"));
  const choice = /** @type {HTMLSelectElement} */ (room.querySelector("[data-series]"));
  const table = /** @type {HTMLDetailsElement} */ (room.querySelector("[data-day-table]"));
  place.hidden = false;
  table.open = false;
  choice.closest("label")?.removeAttribute("hidden");
  const hasCost = rowsOf(room).some((row) => Number(row[1]) > 0);
  if (!hasCost) choice.value = rowsOf(room).some((row) => Number(row[4]) > 0) ? "5" : "6";
  let chart = draw(room, place, Number(choice.value));
  const again = () => {
    chart.destroy();
    chart = draw(room, place, Number(choice.value));
  };
  choice.addEventListener("change", again);
  addEventListener("citegraph:theme", again);
  new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: 210 })).observe(place);
}
