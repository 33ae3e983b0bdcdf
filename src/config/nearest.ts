/** Longer names are not compared: they are no typing mistakes, and comparing takes quadratic time. */
const longest = 128;
/** A client may ask for any model, and a service may list thousands. The work on one hint is bounded: about 5 ms. */
const mostSteps = 1_000_000;

/** The candidates that are similar to a mistyped name, best match first. */
export function nearestNames(written: string, candidates: Iterable<string>, wanted = 3): string[] {
  const asked = plain(written);
  if (asked === "" || asked.length > longest) return [];
  const near: { name: string; steps: number }[] = [];
  let left = mostSteps;
  for (const name of candidates) {
    const offered = plain(name);
    if (offered.length > longest) continue;
    const farthest = Math.max(1, Math.floor(Math.max(asked.length, offered.length) / 3));
    // A prefix of a name is a match too, however much is missing.
    const isBeginning = asked.length > 2 && offered.startsWith(asked);
    if (!isBeginning && Math.abs(asked.length - offered.length) > farthest) continue;
    left -= asked.length * offered.length;
    if (left < 0) break;
    const steps = distance(asked, offered);
    if (isBeginning || steps <= farthest) near.push({ name, steps });
  }
  return near
    .sort((a, b) => a.steps - b.steps)
    .slice(0, wanted)
    .map(({ name }) => name);
}

/** `; did you mean idle?`, or an empty string. */
export function didYouMean(written: unknown, candidates: Iterable<string>): string {
  const meant = typeof written === "string" ? nearestNames(written, candidates, 1)[0] : undefined;
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

/** Normalises spellings: `baseUrl` and `base-url` equal `base_url`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, "");
}

/** Edit distance with insertions, deletions, replacements, and swaps of neighbours, a common typing mistake. */
function distance(a: string, b: string): number {
  const width = b.length + 1;
  // Three rows are enough; no distance is more than `longest`.
  const rows = new Uint8Array(3 * width).map((_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const [current, last, beforeLast] = [(row % 3) * width, ((row - 1) % 3) * width, ((row + 1) % 3) * width];
    rows[current] = row;
    for (let column = 1; column <= b.length; column++) {
      const isSame = a.charCodeAt(row - 1) === b.charCodeAt(column - 1);
      const [above, before] = [rows[last + column] ?? 0, rows[current + column - 1] ?? 0];
      let steps = Math.min(above + 1, before + 1, (rows[last + column - 1] ?? 0) + (isSame ? 0 : 1));
      if (row > 1 && column > 1 && isSwapped(a, row, b, column)) {
        steps = Math.min(steps, (rows[beforeLast + column - 2] ?? 0) + 1);
      }
      rows[current + column] = steps;
    }
  }
  return rows[(a.length % 3) * width + b.length] ?? 0;
}

function isSwapped(a: string, row: number, b: string, column: number): boolean {
  return a.charCodeAt(row - 1) === b.charCodeAt(column - 2) && a.charCodeAt(row - 2) === b.charCodeAt(column - 1);
}
