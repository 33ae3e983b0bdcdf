import { describe, expect, it } from "vitest";
import { Ids, type Item } from "../../src/turn/index.ts";

const call = (callId: string, id?: string): Item => ({
  type: "call",
  kind: "function",
  callId,
  name: "t",
  arguments: "{}",
  id,
});

describe("sequential ids", () => {
  it("count the calls of a conversation, whatever the backend calls them", () => {
    const ids = new Ids([], "sequential");
    expect(ids.claimCall({ kind: "function", callId: "call_up", id: "fc_up" })).toEqual({
      callId: "fc_001",
      id: "fc_001",
    });
    expect(ids.claimCall({ kind: "custom" })).toEqual({ callId: "ctc_002", id: "ctc_002" });
    expect(ids.claimCall({ kind: "function" })).toEqual({ callId: "fc_003", id: "fc_003" });
  });

  it("go on behind every id of the input: of calls, of their items, of outputs", () => {
    const output: Item = { type: "output", kind: "function", callId: "fc_012", output: "" };
    for (const [input, next] of [
      [[call("fc_004")], "fc_005"],
      [[call("call_x", "fc_007")], "fc_008"],
      [[output, call("fc_002")], "fc_013"],
      [[call("ctc_999")], "fc_1000"],
    ] satisfies [Item[], string][]) {
      expect(new Ids(input, "sequential").claimCall({ kind: "function" }).callId).toBe(next);
    }
  });

  it("are not led astray by ids that only look alike", () => {
    const input = [call("fc_99999999999999999999"), call("fc_abc"), call("fc_1"), call("xfc_500")];
    expect(new Ids(input, "sequential").claimCall({ kind: "function" }).callId).toBe("fc_001");
  });

  it("are never given twice, and begin again with an answer of which nothing was sent", () => {
    const ids = new Ids([call("fc_001")], "sequential");
    ids.beginRound();
    ids.claim("fc", "fc_002");
    expect(ids.claimCall({ kind: "function" }).id).toBe("fc_003");
    ids.rollBack();
    expect(ids.claimCall({ kind: "function" }).id).toBe("fc_002");
  });
});
