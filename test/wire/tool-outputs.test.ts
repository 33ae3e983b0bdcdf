import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue, TurnError } from "../../src/turn/index.ts";
import { decodeChatRequest } from "../../src/wire/chat/decode.ts";
import { decodeResponsesRequest } from "../../src/wire/responses/decode.ts";
import type { Api } from "../support/api.ts";

const limit = 1_000;

function refusal(api: Api, body: JsonObject): TurnError["body"] | undefined {
  try {
    if (api === "chat") decodeChatRequest(body, { toolOutput: limit });
    else decodeResponsesRequest(body, { toolOutput: limit });
    return undefined;
  } catch (error) {
    const { body } = error as TurnError;
    // What else is wrong with it is said by others.
    return body.code === "tool_output_too_large" ? body : undefined;
  }
}

const user = { role: "user", content: "x".repeat(5_000) };
const chat = (role: string, content: JsonValue) => ({ messages: [user, { role, tool_call_id: "c", content }] });
const responses = (type: string, output: JsonValue) => ({ input: [user, { type, call_id: "c", output }] });

/** Every place where a tool's output can stand, with its path. */
const places: [string, Api, (output: JsonValue) => JsonObject, string][] = [
  ["a tool message", "chat", (output) => chat("tool", output), "messages[1].content"],
  ["a legacy function message", "chat", (output) => chat("function", output), "messages[1].content"],
  ...["function_call_output", "custom_tool_call_output", "local_shell_call_output", "mcp_call"].map(
    (type): [string, Api, (output: JsonValue) => JsonObject, string] => [
      type,
      "responses",
      (output) => responses(type, output),
      "input[1].output",
    ],
  ),
];

describe.each(places)("the output of %s", (_name, api, request, param) => {
  it("may be as large as the limit", () => {
    expect(refusal(api, request("x".repeat(limit)))).toBeUndefined();
    expect(refusal(api, request("é".repeat(limit / 2)))).toBeUndefined();
    expect(refusal(api, request(""))).toBeUndefined();
  });

  it("is refused when it is larger, with both sizes and what to do", () => {
    expect(refusal(api, request("x".repeat(limit + 1)))).toEqual({
      message: `\`${param}\` has 1001 bytes of text; a tool output may have 1000. Send less of it, such as its beginning and its end, or raise limits.tool_output in the configuration.`,
      type: "invalid_request_error",
      param,
      code: "tool_output_too_large",
    });
  });

  it("is measured in bytes of UTF-8", () => {
    expect(refusal(api, request("é".repeat(limit / 2 + 1)))?.message).toContain("has 1002 bytes");
    expect(refusal(api, request("😀".repeat(limit / 4)))).toBeUndefined();
    expect(refusal(api, request("😀".repeat(limit / 4 + 1)))?.message).toContain("has 1004 bytes");
  });

  it("is the sum of its text; images and files do not count", () => {
    const part = { type: api === "chat" ? "text" : "input_text", text: "x".repeat(600) };
    const image = { type: "input_image", image_url: `data:image/png;base64,${"A".repeat(5_000)}` };
    expect(refusal(api, request([part, image]))).toBeUndefined();
    expect(refusal(api, request([part, image, part]))?.message).toContain("has 1200 bytes");
  });

  it("is what Buffer counts, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 200, maxLength: 1_200 }), (text) => {
        expect(refusal(api, request(text)) === undefined).toBe(Buffer.byteLength(text) <= limit);
      }),
    );
  });
});

describe("the output of a shell", () => {
  const ran = (stdout: JsonValue, stderr: JsonValue) => ({ stdout, stderr, outcome: { type: "exit", exit_code: 0 } });
  const request = (...parts: JsonObject[]) => responses("shell_call_output", parts);

  it("is what its commands wrote, in both ways and together", () => {
    expect(refusal("responses", request(ran("x".repeat(500), "y".repeat(500))))).toBeUndefined();
    expect(refusal("responses", request(ran("x".repeat(1_001), "")))?.message).toContain("has 1001 bytes");
    expect(refusal("responses", request(ran("", "y".repeat(1_001))))?.message).toContain("has 1001 bytes");
    expect(refusal("responses", request(ran("x".repeat(600), ""), ran("", "y".repeat(600))))).toMatchObject({
      param: "input[1].output",
      message: expect.stringContaining("has 1200 bytes"),
    });
  });

  it("is left to the decoder where it is of a wrong kind", () => {
    expect(refusal("responses", request(ran(7, ["x".repeat(5_000)])))).toBeUndefined();
  });
});

describe("what is not a tool's output", () => {
  it.each<[string, Api, JsonObject]>([
    ["a user's message", "chat", { messages: [user] }],
    ["an assistant's message", "chat", chat("assistant", "x".repeat(5_000))],
    ["a user's item", "responses", { input: [user] }],
    ["a call with long arguments", "responses", { input: [{ type: "function_call", arguments: "x".repeat(5_000) }] }],
    ["a call of a server's tool that has no output", "responses", responses("mcp_call", null)],
    ["an input that is a text", "responses", { input: "x".repeat(5_000) }],
    ["no conversation at all", "chat", {}],
    ["entries of a wrong kind", "chat", { messages: [null, 7, "x".repeat(5_000), []] }],
    ["an output of a wrong kind", "responses", { input: [{ type: "function_call_output", output: 7 }] }],
  ])("is not limited: %s", (_name, api, body) => {
    expect(refusal(api, body)).toBeUndefined();
  });
});
