/** Longer names are not compared: they are no typing mistakes, and comparing takes quadratic time. */
const longest = 128;

/** The candidates that are similar to a mistyped name, best match first. */
export function nearestNames(written: string, candidates: Iterable<string>, most = 3): string[] {
  const asked = plain(written);
  if (asked === "" || asked.length > longest) return [];
  const near: { name: string; steps: number }[] = [];
  for (const name of candidates) {
    const offered = plain(name);
    if (offered.length > longest) continue;
    const steps = distance(asked, offered);
    const isNear = steps <= Math.max(1, Math.floor(Math.max(asked.length, offered.length) / 3));
    // A prefix of a name is a match too, however much is missing.
    const isBeginning = asked.length > 2 && offered.startsWith(asked);
    if (isNear || isBeginning) near.push({ name, steps });
  }
  return near
    .sort((a, b) => a.steps - b.steps)
    .slice(0, most)
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
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let steps = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        steps = Math.min(steps, at(beforeLast, column - 2) + 1);
      }
      current.push(steps);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
