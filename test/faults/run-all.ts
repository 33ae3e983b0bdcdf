import { expect } from "vitest";

/** Runs all of the cells, so many at once, and tells what is wrong in any of them by the cell's title. */
export async function runAll<C extends { title: string }>(
  cells: readonly C[],
  run: (cell: C) => Promise<void>,
  atOnce = cells.length,
): Promise<void> {
  const wrong: string[] = [];
  const waiting = cells.values();
  const work = async () => {
    for (const cell of waiting) await run(cell).catch((error) => wrong.push(`${cell.title}: ${tell(error)}`));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  expect(wrong.join("\n\n")).toBe("");
}

function tell(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  const seen =
    "actual" in error && "expected" in error ? [`got ${shown(error.actual)}`, `for ${shown(error.expected)}`] : [];
  return [message.slice(0, 2_000), ...seen].join("\n  ");
}

function shown(value: unknown): string {
  return (typeof value === "string" ? value : (JSON.stringify(value) ?? String(value))).slice(0, 1_000);
}
