import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { argumentsInvalid, missingCall } from "../../src/engine/invalid-call.ts";
import {
  BlameCorrection,
  type Decision,
  DropReasoning,
  decide,
  type FailedAttempt,
  type Policy,
  Reask,
  Retry,
  Rewrite,
} from "../../src/engine/policies/index.ts";
import { TurnError } from "../../src/turn/index.ts";
import { broken, overloaded } from "./scripted-backend.ts";

const failed = (error: TurnError, more: Partial<FailedAttempt> = {}): FailedAttempt => ({
  ...{ error, wasAsked: true, isCancelled: false, said: "", thought: "" },
  ...more,
});

const wantsAnotherForm = new TurnError("upstream_rejected", "no system messages", {
  failure: { by: "backend", phase: "refusal", remedy: "rewrite" },
});
const invalid = argumentsInvalid("look", '{"at":5}', { path: "/at", message: "must be a string" });
const rewrite: Decision = { next: { action: "rewrite" } };

/** How long the same request waits, or nothing where it is not sent again. */
function waitOf(decision: Decision | undefined): number | undefined {
  return decision && "next" in decision && decision.next.action === "retry" ? decision.next.waitMs : undefined;
}

describe("the same request again", () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date("2026-01-01T00:00:00Z") }));
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it("is sent only after failures that are worth it", () => {
    expect(new Retry(1).decide(failed(broken()))).toBeUndefined();
    expect(new Retry(1).decide(failed(new TurnError("internal_error", "ours")))).toBeUndefined();
    expect(new Retry(1).decide(failed(invalid))).toBeUndefined();
    expect(waitOf(new Retry(1).decide(failed(overloaded())))).toBeGreaterThanOrEqual(0);
  });

  it("is sent also where the backend could not be asked at all", () => {
    expect(new Retry(1).decide(failed(overloaded(), { wasAsked: false }))).toBeDefined();
  });

  it("is sent as often as the settings say, and no more", () => {
    const retry = new Retry(2);
    expect(retry.decide(failed(overloaded()))).toBeDefined();
    // What is not worth another try does not use one up.
    expect(retry.decide(failed(broken()))).toBeUndefined();
    expect(retry.decide(failed(overloaded()))).toBeDefined();
    expect(retry.decide(failed(overloaded()))).toBeUndefined();
    expect(new Retry(0).decide(failed(overloaded()))).toBeUndefined();
  });

  it("is not sent when the turn is over", () => {
    expect(new Retry(1).decide(failed(overloaded(), { isCancelled: true }))).toBeUndefined();
  });

  it("waits for about a quarter of a second, then about twice as long each time, and never more than four", () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const retry = new Retry(8);
    const waits = Array.from({ length: 8 }, () => waitOf(retry.decide(failed(overloaded()))) ?? Number.NaN);
    expect(waits[0]).toBeGreaterThan(150);
    expect(waits[0]).toBeLessThan(350);
    for (const [index, wait] of waits.slice(1, 4).entries()) {
      expect(wait / (waits[index] ?? 0)).toBeGreaterThan(1.5);
      expect(wait / (waits[index] ?? 0)).toBeLessThan(2.5);
    }
    expect(waits.slice(-2)).toEqual([4_000, 4_000]);
  });

  it("waits within these bounds whatever the dice say, and not always the same", () => {
    const firsts = new Set<number>();
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 12, maxLength: 12 }),
        (dice) => {
          const random = vi.spyOn(Math, "random");
          for (const die of dice) random.mockReturnValueOnce(die);
          const retry = new Retry(10);
          for (let attempt = 0; attempt < 10; attempt++) {
            const wait = waitOf(retry.decide(failed(overloaded()))) ?? Number.NaN;
            if (attempt === 0) firsts.add(wait);
            expect(wait).toBeGreaterThanOrEqual(0);
            expect(wait).toBeLessThanOrEqual(attempt === 0 ? 750 : 4_000);
          }
          random.mockRestore();
        },
      ),
    );
    expect(firsts.size).toBeGreaterThan(10);
  });

  it.each([
    ["seconds", "2", 2_000],
    ["a part of a second", "0.5", 500],
    ["a date", "Thu, 01 Jan 2026 00:00:03 GMT", 3_000],
    ["a date that is over", "Wed, 31 Dec 2025 00:00:00 GMT", 0],
    ["the longest that is waited for", "5", 5_000],
    ["less than nothing", "-3", 0],
    ["nothing that can be read", "soon", 0],
    ["nothing", "", 0],
  ])("waits for what the provider asked for, and its own time on top: %s", (_words, retryAfter, milliseconds) => {
    const wait = waitOf(new Retry(1).decide(failed(overloaded("later", { retryAfter })))) ?? Number.NaN;
    expect(wait).toBeGreaterThanOrEqual(milliseconds);
    expect(wait).toBeLessThanOrEqual(milliseconds + 750);
  });

  it.each(["6", "3600", "Thu, 01 Jan 2026 00:00:06 GMT", "Infinity"])(
    "is not sent where the provider wants to be left alone for longer than five seconds: %s",
    (retryAfter) => {
      const retry = new Retry(1);
      expect(retry.decide(failed(overloaded("later", { retryAfter })))).toBeUndefined();
      expect(retry.decide(failed(overloaded()))).toBeDefined();
    },
  );
});

describe("the request in another form", () => {
  it("is sent where the backend has learnt which form its provider wants, at most four times", () => {
    const policy = new Rewrite();
    const decisions = Array.from({ length: 6 }, () => policy.decide(failed(wantsAnotherForm)));
    expect(decisions).toEqual([rewrite, rewrite, rewrite, rewrite, undefined, undefined]);
  });

  it("is not sent for other failures, without an answer to learn from, or when the turn is over", () => {
    expect(new Rewrite().decide(failed(overloaded()))).toBeUndefined();
    expect(new Rewrite().decide(failed(wantsAnotherForm, { wasAsked: false }))).toBeUndefined();
    expect(new Rewrite().decide(failed(wantsAnotherForm, { isCancelled: true }))).toBeUndefined();
  });
});

describe("the request without reasoning that the provider cannot decrypt", () => {
  it("is sent once", async () => {
    const seen: TurnError[] = [];
    const policy = new DropReasoning((error) => seen.push(error) > 0);
    const error = broken("cannot decrypt");
    expect(await policy.decide(failed(error))).toEqual(rewrite);
    expect(await policy.decide(failed(error))).toBeUndefined();
    expect(seen).toEqual([error]);
  });

  it("is sent when there is something to leave out, which may take a while to find out", async () => {
    const found = [false, true];
    const policy = new DropReasoning(() => Promise.resolve(found.shift() ?? false));
    expect(await policy.decide(failed(broken()))).toBeUndefined();
    expect(await policy.decide(failed(broken()))).toEqual(rewrite);
  });

  it("is not thought of where nothing was asked, or when the turn is over", async () => {
    const drop = vi.fn(() => true);
    const policy = new DropReasoning(drop);
    expect(await policy.decide(failed(broken(), { wasAsked: false }))).toBeUndefined();
    expect(await policy.decide(failed(broken(), { isCancelled: true }))).toBeUndefined();
    expect(drop).not.toHaveBeenCalled();
  });
});

describe("the model that made a wrong call", () => {
  it("is shown its call and what was wrong with it, as often as the settings say", () => {
    const reask = new Reask(1, false);
    expect(reask.corrected).toBeUndefined();
    expect(reask.decide(failed(invalid, { thought: "Hm." }))).toMatchObject({
      next: { action: "reask" },
      corrections: [
        { type: "call", name: "look", arguments: '{"at":5}' },
        { type: "output", output: expect.stringContaining("/at must be a string") },
      ],
    });
    expect(reask.corrected).toBe(invalid);
    expect(reask.decide(failed(invalid))).toBeUndefined();
  });

  it("is reminded of its thoughts where its provider would miss them", () => {
    const decision = new Reask(1, true).decide(failed(invalid, { thought: "Hm." }));
    expect(decision).toMatchObject({
      corrections: [{ type: "reasoning", summary: ["Hm."] }, { type: "call" }, { type: "output" }],
    });
  });

  it("is quoted where it spoke instead of calling", () => {
    const decision = new Reask(1, false).decide(failed(missingCall("look"), { said: "It is blue." }));
    expect(decision).toMatchObject({
      corrections: [
        { role: "assistant", content: [{ text: "It is blue." }] },
        { role: "user", content: [{ text: expect.stringContaining('"look"') }] },
      ],
    });
  });

  it("is not asked again for other failures, or when the turn is over", () => {
    expect(new Reask(1, false).decide(failed(broken()))).toBeUndefined();
    expect(new Reask(1, false).decide(failed(invalid, { wasAsked: false }))).toBeUndefined();
    expect(new Reask(1, false).decide(failed(invalid, { isCancelled: true }))).toBeUndefined();
    expect(new Reask(0, false).decide(failed(invalid))).toBeUndefined();
  });
});

describe("a correction that is not taken", () => {
  const refused = new TurnError("upstream_rejected", "no such role");
  const overdue = new TurnError("upstream_timeout", "not done after 5 seconds");
  const blame = (reask: Reask) => new BlameCorrection(reask, (error) => error === overdue);

  it("is the model's fault, where the provider refuses it or has no time left for it", () => {
    const reask = new Reask(1, false);
    reask.decide(failed(invalid));
    expect(blame(reask).decide(failed(refused))).toEqual({ fail: invalid });
    expect(blame(reask).decide(failed(overdue, { isCancelled: true }))).toEqual({ fail: invalid });
  });

  it("is the provider's own fault where it fails otherwise, or where there was no correction", () => {
    const reask = new Reask(1, false);
    expect(blame(reask).decide(failed(refused))).toBeUndefined();
    reask.decide(failed(invalid));
    expect(blame(reask).decide(failed(overloaded()))).toBeUndefined();
  });
});

describe("of several policies", () => {
  it("the first that has a say decides, and those behind it are not asked", async () => {
    const asked: string[] = [];
    const policy = (name: string, decision?: Decision): Policy => ({
      decide: () => {
        asked.push(name);
        return decision;
      },
    });
    const slow: Policy = { decide: () => Promise.resolve(rewrite) };
    expect(await decide([policy("a"), policy("b"), slow, policy("c", { fail: broken() })], failed(broken()))).toEqual(
      rewrite,
    );
    expect(asked).toEqual(["a", "b"]);
  });

  it("none having a say means that the attempt's own error is told", async () => {
    const error = broken();
    expect(await decide([], failed(error))).toEqual({ fail: error });
    expect(await decide([new Retry(0), new Rewrite()], failed(error))).toEqual({ fail: error });
  });
});
