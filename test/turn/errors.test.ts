import { describe, expect, it } from "vitest";
import {
  type BackendFailure,
  errorCodes,
  type Failure,
  isRefusal,
  mayRetry,
  quotesOthers,
  TurnError,
  toTurnError,
  wantsRewrite,
} from "../../src/turn/index.ts";

function judged(failure: Failure) {
  const error = new TurnError("upstream_error", "No.", { failure });
  return [mayRetry(error), wantsRewrite(error), isRefusal(error), quotesOthers(error)];
}

const failed = (rest: Partial<BackendFailure> = {}): Failure => ({
  by: "backend",
  phase: "answer",
  remedy: "none",
  ...rest,
});

describe("an error", () => {
  it.each<[Failure, boolean[]]>([
    [{ by: "gateway" }, [false, false, false, false]],
    [{ by: "model" }, [false, false, false, true]],
    [failed(), [false, false, false, false]],
    [failed({ remedy: "retry" }), [true, false, false, false]],
    [failed({ remedy: "rewrite", phase: "refusal" }), [false, true, true, false]],
    [failed({ remedy: "retry", phase: "connection" }), [true, false, false, false]],
    [failed({ quotes: true }), [false, false, false, true]],
  ])("says who failed and what can be done: %j", (failure, expected) => {
    expect(judged(failure)).toEqual(expected);
  });

  it("is the backend's where its code says so, and nothing can be done unless said", () => {
    for (const code of errorCodes) {
      const { failure } = new TurnError(code, "No.");
      expect(failure).toEqual(
        code.startsWith("upstream_") ? { by: "backend", phase: "answer", remedy: "none" } : { by: "gateway" },
      );
    }
  });

  it("that nobody foresaw tells nothing of its inside", () => {
    const error = toTurnError(new Error("secret"));
    expect(error).toMatchObject({ code: "internal_error", failure: { by: "gateway" } });
    expect(error.message).not.toContain("secret");
  });
});
