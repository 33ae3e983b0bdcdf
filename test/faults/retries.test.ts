import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cell, cellsOf } from "./cells.ts";
import { checkEnding } from "./ending.ts";
import type { Fault } from "./fault.ts";
import { faults } from "./faults.ts";
import { runAll } from "./run-all.ts";
import { Workbench } from "./workbench.ts";

/** Faults that stay when the provider is asked again, and whether it is while the client has nothing yet. */
const table: [name: string, askedAgain: boolean][] = [
  ["ends before it has said anything", true],
  ["ends in the middle of its text", true],
  ["resets the connection in the middle of its reasoning", true],
  ["resets the connection in the middle of a call's arguments", true],
  ["fails with an error object before it has said anything", true],
  ["fails with an error object in the middle of its text", true],
  ["sends a line that is no JSON in the middle of its text", true],
  ["answers 429 with the usual body", false],
  ["answers 400 with the usual body", false],
  ["answers 401 with no body", false],
  ["answers 500 with the usual body", true],
  ["answers 529 with plain text", true],
  ["reaches its limit in a call's arguments", false],
  ["stops in a call's arguments and says that all is well", false],
  ["falls silent in the middle of its text", false],
];

const chosen = table.map(([name, askedAgain]) => ({ fault: named(name), askedAgain }));
const cells = chosen.flatMap(({ fault }) => cellsOf(fault));

let bench: Workbench;
let ran = 0;
beforeAll(async () => {
  bench = await Workbench.start(cells, { retries: 1 });
});
afterAll(async () => {
  console.log(`fault matrix, with retries: ${ran} cells`);
  await bench.close();
});

function named(name: string): Fault {
  const found = Object.values(faults)
    .flat()
    .find((fault) => fault.name === name);
  if (!found) throw new Error(`There is no fault "${name}".`);
  return found;
}

/** Whether the client has something that is never taken back. */
function committed({ fault: { ends }, stream }: Cell): boolean {
  return stream && typeof ends === "object" && "after" in ends;
}

describe("with retries, a turn ends as it does without, before a provider that", () => {
  it.concurrent.each(chosen.map((each) => [each.fault.name, each] as const))(
    "%s",
    { timeout: 60_000 },
    async (_name, { fault, askedAgain }) => {
      const own = cellsOf(fault);
      ran += own.length;
      await runAll(own, async (cell) => {
        checkEnding(await bench.ask(cell), cell);
        expect(bench.timesAsked(cell)).toBe(askedAgain && !committed(cell) ? 2 : 1);
      });
    },
  );

  it("has every cell of its table", () => {
    expect(ran).toBe(cells.length);
    expect(ran).toBeGreaterThanOrEqual(120);
  });
});
