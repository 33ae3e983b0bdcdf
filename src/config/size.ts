const units: Record<string, number> = { b: 1, kb: 1_024, mb: 1_024 ** 2, gb: 1_024 ** 3 };
const form = /^(\d{1,12}(?:\.\d{1,3})?)\s?(b|kb|mb|gb)?$/;

/** Parses `64kb`, `4mb`, or a plain number of bytes; undefined if it is not a size. */
export function parseSize(written: unknown): number | undefined {
  if (typeof written === "number") return Number.isSafeInteger(written) && written >= 0 ? written : undefined;
  const match = typeof written === "string" ? form.exec(written.trim().toLowerCase()) : null;
  const factor = units[match?.[2] ?? "b"];
  return match === null || factor === undefined ? undefined : Math.round(Number(match[1]) * factor);
}

/** The shortest notation: 4194304 is `4mb`. */
export function formatSize(bytes: number): string {
  const fitting = Object.entries(units).findLast(([, factor]) => bytes > 0 && bytes % factor === 0);
  const [unit, factor] = fitting ?? ["b", 1];
  return `${bytes / factor}${unit}`;
}
