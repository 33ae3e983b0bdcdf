import { describe, expect, it } from "vitest";
import { Ids } from "../../src/turn/index.ts";

describe("ids of a conversation", () => {
  it("are the backend's own where they are fit and new", () => {
    const ids = new Ids();
    expect(ids.claim("call", "call_abc")).toBe("call_abc");
    expect(ids.claim("fc", "fc_abc")).toBe("fc_abc");
    expect(ids.claim("call", "chatcmpl-tool-1")).toBe("chatcmpl-tool-1");
  });

  it("are made where the backend gives none, or one that others would refuse", () => {
    const ids = new Ids();
    for (const unfit of [undefined, "", "functions.get_weather:0", "x".repeat(65), "with space"]) {
      expect(ids.claim("call", unfit)).toMatch(/^call_[0-9a-f]{32}$/);
    }
    expect(ids.claim("fc", "item_7")).toMatch(/^fc_/);
  });

  it("are never given twice, nor taken from what the client sent", () => {
    const ids = new Ids([
      { type: "call", kind: "function", callId: "call_1", id: "fc_1", name: "f", arguments: "{}" },
      { type: "opaque", format: "responses", fields: { id: "ws_1" } },
    ]);
    expect(ids.claim("call", "call_1")).not.toBe("call_1");
    expect(ids.claim("fc", "fc_1")).not.toBe("fc_1");
    expect(ids.claim("item", "ws_1")).not.toBe("ws_1");
    expect(ids.claim("call", "call_2")).toBe("call_2");
    expect(ids.claim("call", "call_2")).not.toBe("call_2");
  });
});
