import { median, ratioOf } from "../measure/numbers.mjs";
import { aligned } from "../measure/table.mjs";
import { sizes } from "./texts.mjs";

export const budgets = { above: 1, linearity: 2, ratio: 10 };

/** A short call is mostly its beginning and its end, which are no deltas in the middle of something. */
const shortest = "1 KB";
/** What the largest size of a dialect is held against. */
const small = "10 KB";

const cpuOf = (numbers) => numbers.map(({ cpu }) => cpu);

/**
 * The fastest round: whatever else the machine does can only add to a number, and a batch is long enough that its garbage is
 * collected in each. Every round is kept for the file.
 */
function numberOf(numbers) {
  const rounds = cpuOf(numbers);
  return {
    cpu: Math.min(...rounds),
    median: median(rounds),
    rounds,
    isCapped: numbers.some(({ isCapped }) => isCapped),
  };
}

/** The numbers of one dialect, in µs of CPU a delta. */
export function summarise({ subject, ours, theirs }, stream) {
  const { name, reading, dialect, wrong } = subject;
  if (wrong) return { name, reading, dialect: dialect.name, wrong };
  const text = numberOf(ours.text);
  const calls = Object.fromEntries(Object.keys(subject.sizes).map((size) => [size, numberOf(ours[size])]));
  const { [shortest]: _, ...steady } = calls;
  const above = Math.max(...Object.values(steady).map(({ cpu }) => cpu)) - text.cpu;
  const large = Object.keys(calls).at(-1);
  const { min, max } = ratioOf(calls[large].rounds, calls[small].rounds);
  const linearity = { large, ratio: calls[large].cpu / calls[small].cpu, min, max };
  const isCapped = Object.values(calls).some((call) => call.isCapped);
  const within = { above: above < budgets.above, linearity: !isCapped && linearity.ratio <= budgets.linearity };
  const peer = theirs.text && comparison(ours, theirs, stream);
  return { name, reading, dialect: dialect.name, text, calls, above, linearity, within, peer };
}

/** Theirs to ours; `parser` is without what a stream costs that does nothing. */
function comparison(ours, theirs, stream) {
  return Object.entries(theirs).map(([what, numbers]) => {
    const own = numberOf(ours[what]);
    const other = numberOf(numbers);
    const ratio = other.cpu / own.cpu;
    const parser = Math.max(0, other.cpu - stream) / own.cpu;
    const isIntact = numbers.every((number) => number.isIntact !== false);
    return { what, ours: own, theirs: other, stream, ratio, parser, isIntact, within: ratio >= budgets.ratio };
  });
}

/** µs of CPU a delta. */
export function table(summaries) {
  const columns = [
    "dialect",
    "read",
    "text",
    ...Object.keys(sizes),
    "above",
    "budget",
    "to 10 KB",
    "min–max",
    "budget",
  ];
  const rows = summaries.map((summary) => {
    const { name, reading, wrong, text, calls, above, linearity, within } = summary;
    if (wrong) return [name, reading, ...columns.slice(2).map(() => "–"), `WRONG: ${wrong}`];
    return [
      name,
      reading,
      text.cpu.toFixed(2),
      ...Object.keys(sizes).map((size) => (calls[size] ? shown(calls[size], 2) : "–")),
      above.toFixed(2),
      `< ${budgets.above}`,
      linearity.ratio.toFixed(2),
      `${linearity.min.toFixed(2)}–${linearity.max.toFixed(2)}`,
      `≤ ${budgets.linearity}`,
      within.above && within.linearity ? "pass" : "OVER",
    ];
  });
  return aligned([[...columns, ""], ...rows], 2);
}

function shown({ cpu, isCapped }, digits) {
  return `${isCapped ? "> " : ""}${cpu.toFixed(digits)}`;
}

export function peerTable(summaries) {
  const columns = ["dialect", "what", "ours", "theirs", "of it streams", "ratio", "parser alone", "budget", ""];
  const rows = summaries.flatMap(({ name, peer = [] }) =>
    peer.map(({ what, ours, theirs, stream, ratio, parser, isIntact, within }) => [
      name,
      what,
      ours.cpu.toFixed(2),
      shown(theirs, 1),
      stream.toFixed(1),
      ratio.toFixed(0),
      parser.toFixed(0),
      `≥ ${budgets.ratio}`,
      `${within ? "pass" : "OVER"}${isIntact ? "" : " (their call is not intact)"}`,
    ]),
  );
  return aligned([columns, ...rows], 2);
}
