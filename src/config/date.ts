/** A date without a time means 00:00 UTC. */
export function readDate(input: unknown): Date | undefined {
  const form = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2}))?$/;
  if (typeof input !== "string" || !form.test(input)) return undefined;
  const date = new Date(input);
  // `Date` silently turns 2030-02-30 into March 2.
  const day = Number(input.slice(8, 10));
  const lastDay = new Date(Date.UTC(Number(input.slice(0, 4)), Number(input.slice(5, 7)), 0)).getUTCDate();
  return Number.isNaN(date.getTime()) || day > lastDay ? undefined : date;
}
