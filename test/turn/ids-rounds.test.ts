import { describe, expect, it } from "vitest";
import { Ids, type Item } from "../../src/turn/index.ts";

const sent: Item = { type: "call", kind: "function", callId: "call_sent", id: "fc_004", name: "f", arguments: "{}" };

describe("the ids of a round that is rolled back", () => {
  it("are free again, so that the next attempt may have the same", () => {
    const ids = new Ids();
    ids.beginRound();
    expect(ids.claim("call", "call_1")).toBe("call_1");
    expect(ids.claim("msg", "msg_1")).toBe("msg_1");
    ids.rollBack();
    expect(ids.claim("call", "call_1")).toBe("call_1");
    expect(ids.claim("msg", "msg_1")).toBe("msg_1");
    ids.rollBack();
    expect(ids.claim("call", "call_1")).toBe("call_1");
    expect(ids.claim("call", "call_1")).not.toBe("call_1");
  });

  it("are free again where no round was begun before", () => {
    const ids = new Ids();
    ids.claim("call", "call_1");
    ids.rollBack();
    expect(ids.claim("call", "call_1")).toBe("call_1");
  });
});

describe("the ids of earlier rounds", () => {
  it("stay taken, also when the round under way is rolled back, even twice", () => {
    const ids = new Ids([sent]);
    ids.beginRound();
    ids.claim("call", "call_1");
    ids.beginRound();
    expect(ids.claim("call", "call_1")).not.toBe("call_1");
    ids.claim("call", "call_2");
    ids.beginRound();
    for (const _again of [1, 2]) {
      for (const taken of ["call_1", "call_2", "call_sent"]) expect(ids.claim("call", taken)).not.toBe(taken);
      expect(ids.claim("call", "call_3")).toBe("call_3");
      ids.rollBack();
    }
  });
});

describe("sequential ids", () => {
  const next = (ids: Ids) => ids.claimCall({ kind: "function" }).id;

  it("go on from round to round", () => {
    const ids = new Ids([], "sequential");
    ids.beginRound();
    expect([next(ids), next(ids)]).toEqual(["fc_001", "fc_002"]);
    ids.beginRound();
    expect(next(ids)).toBe("fc_003");
  });

  it("return to where the round began when it is rolled back", () => {
    const ids = new Ids([sent], "sequential");
    ids.beginRound();
    expect(next(ids)).toBe("fc_005");
    ids.beginRound();
    for (const _attempt of [1, 2, 3]) {
      expect([next(ids), next(ids)]).toEqual(["fc_006", "fc_007"]);
      ids.rollBack();
    }
  });
});
