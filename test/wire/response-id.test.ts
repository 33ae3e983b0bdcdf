import { describe, expect, it } from "vitest";
import { answerId } from "../../src/turn/index.ts";
import { responseIdForm, upstreamResponseId } from "../../src/wire/responses/response-id.ts";

const responseId = (upstreamId: string | undefined) => answerId(responseIdForm, upstreamId);

describe("a response's id", () => {
  it("is new each time, and carries the provider's where there is one", () => {
    expect(responseId("resp_up")).not.toBe(responseId("resp_up"));
    expect(upstreamResponseId(responseId("resp_up"))).toBe("resp_up");
    expect(upstreamResponseId(responseId("a_b_c"))).toBe("a_b_c");
  });

  it("leads nowhere where no provider keeps the response", () => {
    expect(upstreamResponseId(responseId(undefined))).toBeUndefined();
  });

  it("that is not ours is taken to be the provider's", () => {
    expect(upstreamResponseId("resp_68a1f0")).toBe("resp_68a1f0");
  });
});
