import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cell, cellsOf } from "./cells.ts";
import { checkEnding } from "./ending.ts";
import type { Fault } from "./fault.ts";
import { faults } from "./faults.ts";
import { runAll } from "./run-all.ts";
import { hangs, patience, Workbench } from "./workbench.ts";

const cells = Object.values(faults).flat().flatMap(cellsOf);
/** The table may grow; what it has had, it keeps. */
const fewest = 2_300;

let bench: Workbench;
let ran = 0;
beforeAll(async () => {
  bench = await Workbench.start(cells);
});
afterAll(async () => {
  console.log(`fault matrix: ${ran} cells`);
  await bench.close();
});

/** The turn has its own end, in time; nothing is left of it; and the next one works. */
async function run(cell: Cell): Promise<void> {
  const began = performance.now();
  const answer = await bench.ask(cell, AbortSignal.timeout(3 * patience(cell)));
  const took = performance.now() - began;
  checkEnding(answer, cell);
  expect(took).toBeLessThan(patience(cell));
  expect(await bench.askAgain(cell)).toMatchObject({ ended: "completed", text: expect.stringMatching(/^Fine/) });
  if (cell.form !== "socket") expect(bench.timesAsked(cell)).toBe(1);
  if (hangs(cell)) await bench.isLeft(cell);
}

describe.each(Object.entries(faults))("%s: a provider that", (_subject, some) => {
  const titled = some.map((fault): [string, Fault] => [fault.name, fault]);

  it.concurrent.each(titled.filter(([, { heavy }]) => !heavy))("%s", { timeout: 60_000 }, async (_name, fault) => {
    const own = cellsOf(fault);
    ran += own.length;
    await runAll(own, run);
  });

  it.each(titled.filter(([, { heavy }]) => heavy))("%s", { timeout: 60_000 }, async (_name, fault) => {
    const own = cellsOf(fault);
    ran += own.length;
    await runAll(own, run, 1);
  });
});

describe("the fault matrix", () => {
  it("has every cell of its table, and leaves no turn open", async () => {
    expect(ran).toBe(cells.length);
    expect(ran).toBeGreaterThanOrEqual(fewest);
    expect(await bench.openTurns()).toBe(0);
  });
});
