const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const form = /^(\d{1,12}(?:\.\d{1,3})?)\s?(ms|s|m|h|d)$/;

/** Milliseconds. Node's timers fire at once if the delay is longer than about 24.8 days. */
export const longestTimer = 24 * 86_400_000;

/** Parses `250ms`, `10s`, `5m`, `2h`, `30d` to milliseconds; undefined if it is not a duration. A bare 0 needs no unit. */
export function parseDuration(written: unknown): number | undefined {
  if (written === 0 || written === "0") return 0;
  const [, amount, unit] = (typeof written === "string" && form.exec(written.trim())) || [];
  const factor = unit === undefined ? undefined : units[unit];
  return factor === undefined ? undefined : Math.round(Number(amount) * factor);
}

/** The shortest notation: 90000 is `90s`, 120000 is `2m`. */
export function formatDuration(milliseconds: number): string {
  const fitting = Object.entries(units).findLast(([, factor]) => milliseconds > 0 && milliseconds % factor === 0);
  const [unit, factor] = fitting ?? ["ms", 1];
  return `${milliseconds / factor}${unit}`;
}
