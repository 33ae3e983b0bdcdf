import { describe, expect, it } from "vitest";
import { answerId, isObject, type JsonObject, parseJson, TurnError } from "../../src/turn/index.ts";
import { codecs, type RequestLimits } from "../../src/wire/index.ts";
import { encode, finished, message, recorded, whole } from "./encoders.ts";

const limits: RequestLimits = { toolOutput: 1000 };
/** What each API needs of a request; none minds what another one needs. */
const request: JsonObject = { model: "m", input: "Hello", messages: [{ role: "user", content: "Hello" }] };
const scene = { steps: message("msg_1", ["Good day."]), ending: finished() };

describe("the registry of client APIs", () => {
  it("gives each API a name, paths and a form of ids of its own", () => {
    const routes = codecs.flatMap((codec) => codec.routes.map(({ path }) => path));
    const forms = codecs.map((codec) => codec.answerId.prefix);
    for (const each of [codecs.map(({ name }) => name), routes, forms]) {
      expect(each.length).toBeGreaterThanOrEqual(codecs.length);
      expect(new Set(each).size).toBe(each.length);
    }
    for (const path of routes) expect(path).toMatch(/^\/[a-z/-]+[a-z]$/);
  });
});

describe.each(codecs)("the API `$name`, by its entry in the registry alone", (codec) => {
  it("reads a request as a turn that knows which API it came by", () => {
    for (const stream of [true, false]) {
      const { turn } = codec.decode({ ...request, stream }, limits);
      expect(turn).toMatchObject({ api: codec.name, model: "m", stream });
      expect(turn.input).toMatchObject([{ type: "message", role: "user", content: [{ type: "text", text: "Hello" }] }]);
    }
  });

  it("refuses a request that cannot be read, and names the field", () => {
    const read = () => codec.decode({ model: "m" }, limits);
    expect(read).toThrow(TurnError);
    expect(read).toThrow(
      expect.objectContaining({ status: 400, body: expect.objectContaining({ param: expect.any(String) }) }),
    );
  });

  it("refuses a tool's output that is longer than it may be", () => {
    const output = "x".repeat(limits.toolOutput + 1);
    const long: JsonObject = {
      ...request,
      input: [{ type: "function_call_output", call_id: "call_1", output }],
      messages: [{ role: "tool", tool_call_id: "call_1", content: output }],
    };
    expect(() => codec.decode(long, limits)).toThrow(expect.objectContaining({ code: "tool_output_too_large" }));
  });

  it("says where the schema of a tool stands", () => {
    expect(codec.decode(request, limits).schemaPath("tools[2]")).toMatch(/^tools\[2\]\.(?:[a-z]+\.)?parameters$/);
  });

  it("writes an answer as it comes, and in one piece", () => {
    const { frames, isEnded } = recorded(codec, scene);
    expect(isEnded).toBe(true);
    expect(frames.length).toBeGreaterThan(1);
    for (const { event, json } of frames) {
      const value = parseJson(json);
      if (!isObject(value)) throw new Error(`a frame is no JSON object: ${json}`);
      // A frame has the name that the event says of itself, and none where events have no names.
      expect(event).toBe(value.type ?? "");
    }
    expect(frames.map(({ json }) => json).join("")).toContain("Good day.");
    expect(JSON.stringify(whole(codec, scene))).toContain("Good day.");
  });

  it("writes one frame where the answer comes in one piece, and that at its end", () => {
    const told: string[] = [];
    const sink = {
      frame: () => told.push("frame"),
      keepAlive: () => told.push("keep-alive"),
      end: () => told.push("end"),
    };
    encode(codec, false, sink, { ...scene, steps: ["keep-alive", ...scene.steps, "keep-alive"] });
    expect(told).toEqual(["frame", "end"]);
  });

  it("writes an error with its four keys, null where there is nothing to say", () => {
    const { body } = new TurnError("model_not_found", "There is no model x.");
    expect(parseJson(codec.errorBody(body))).toEqual({
      error: { message: "There is no model x.", type: "invalid_request_error", param: null, code: "model_not_found" },
    });
    const other = new TurnError("upstream_rejected", "No.", { param: "a.b", upstreamCode: null }).body;
    const error = { message: "No.", type: "invalid_request_error", param: "a.b", code: null };
    expect(parseJson(codec.errorBody(other))).toEqual({ error });
  });

  it("gives its answers ids that are new each time", () => {
    expect(answerId(codec.answerId)).not.toBe(answerId(codec.answerId));
    expect(answerId(codec.answerId)).toMatch(/^[a-z]+[-_][0-9a-f]{32}$/);
  });
});
