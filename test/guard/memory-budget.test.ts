import { describe, expect, it } from "vitest";
import { MemoryBudget, TurnHolding } from "../../src/guard/index.ts";

const kb = 1024;

describe("the memory budget", () => {
  it("counts what turns keep beyond 64 KB each, and gets it back once", () => {
    const budget = new MemoryBudget(100 * kb);
    const turn = new TurnHolding(budget);
    turn.add(60 * kb);
    expect(budget.held).toBe(0);
    turn.add(40 * kb);
    expect(budget.held).toBe(36 * kb);
    turn.release();
    turn.release();
    turn.add(10 * kb);
    expect(budget.held).toBe(0);
  });

  it("refuses a turn what does not fit, and lets small ones pass", () => {
    const budget = new MemoryBudget(100 * kb);
    const first = new TurnHolding(budget);
    first.add(150 * kb);
    const second = new TurnHolding(budget);
    expect(() => second.add(90 * kb)).toThrow(
      expect.objectContaining({
        code: "overloaded",
        status: 503,
        retryAfter: "1",
        message: expect.stringContaining("limits.memory"),
      }),
    );
    expect([budget.held, budget.refusals]).toEqual([86 * kb, 1]);
    second.add(64 * kb);
    new TurnHolding(budget).add(64 * kb);
    first.release();
    second.add(90 * kb);
    second.release();
    expect([budget.held, budget.refusals]).toEqual([0, 1]);
  });
});
