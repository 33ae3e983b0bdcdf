import { describe, expect, it } from "vitest";
import { type JsonObject, TurnError } from "../../src/turn/index.ts";
import { chatCodec } from "../../src/wire/chat/index.ts";
import { storedCompletion } from "../../src/wire/chat/stored-completion.ts";
import type { Codec } from "../../src/wire/index.ts";
import { responsesCodec } from "../../src/wire/responses/index.ts";
import { storedResponse } from "../../src/wire/responses/response-object.ts";
import {
  annotation,
  call,
  failed,
  finished,
  framesOf,
  gatewayCall,
  kept,
  message,
  opaque,
  reasoning,
  refusal,
  type Scene,
  text,
  usage,
  whole,
} from "./encoders.ts";

const citation = { type: "url_citation", url: "https://example.com", title: "A page", start_index: 0, end_index: 4 };
const tools = [{ type: "function", name: "get_weather", parameters: { type: "object" } }];
const chatTools = [{ type: "function", function: { name: "get_weather", parameters: { type: "object" } } }];

const scenes: Record<string, Scene> = {
  "a text": { steps: message("msg_1", ["Good ", "day."]), ending: finished("stop", { usage }) },
  "nothing at all": { steps: [] },
  "a text with everything": {
    steps: [
      ...reasoning("rs_1", [["Hm", "m."], ["Yes."]], "sealed"),
      ...message("msg_1", [text("Sun.", [{ token: "Sun.", logprob: -1 }]), annotation(citation)]),
      ...message("msg_2", [refusal("Not that.")]),
    ],
  },
  calls: {
    steps: [
      ...message("msg_1", ["Let me look."], { isCommentary: true }),
      ...call(1, "get_weather", ['{"city":', '"Bern"}']),
      ...call(2, "run", ["ls"], { kind: "custom" }),
    ],
  },
  "calls that the gateway ran": {
    steps: [
      ...gatewayCall(1, "look_up", ['{"word":"sun"}'], "a star"),
      "next round",
      ...message("msg_1", ["The sun is a star."]),
    ],
  },
  "an item of one API": { steps: [opaque("ws_1", { type: "web_search_call", id: "ws_1", status: "completed" })] },
  "a text that the token limit cut": {
    steps: message("msg_1", ["Good "], { status: "incomplete" }),
    ending: finished("length", { usage }),
  },
  "a text that a filter cut": { steps: message("msg_1", ["Good "]), ending: finished("content_filter") },
};

const parameters: JsonObject = { temperature: 0.3, top_p: 0.5, metadata: { topic: "sun" }, user: "me" };

describe.each(Object.entries(scenes))("a stored answer with %s", (_name, scene) => {
  it.each([true, false])("reads back as the response that its client got (stream: %s)", (stream) => {
    const asked = { ...scene, request: { ...parameters, tools, instructions: "Be brief." }, isKept: () => true };
    expect(storedResponse(kept(responsesCodec, stream, asked))).toEqual(whole(responsesCodec, asked));
  });

  it.each([true, false])("reads back as the completion that its client got (stream: %s)", (stream) => {
    const asked = { ...scene, request: { ...parameters, tools: chatTools, store: true, seed: 7 } };
    const { choices, ...rest } = whole(chatCodec, asked);
    const { choices: again, ...stored } = storedCompletion(kept(chatCodec, stream, asked));
    expect(again).toMatchObject(choices as JsonObject[]);
    expect(stored).toMatchObject(rest);
    expect(stored).toMatchObject({
      object: "chat.completion",
      request_id: null,
      metadata: { topic: "sun" },
      temperature: 0.3,
      top_p: 0.5,
      seed: 7,
      input_user: "me",
      tools: chatTools,
      tool_choice: "auto",
      response_format: null,
      service_tier: "default",
    });
  });
});

describe("a stored completion", () => {
  it("has what is absent as null, as OpenAI's has it", () => {
    const stored = storedCompletion(kept(chatCodec, true, { steps: message("msg_1", ["Hi."]) }));
    expect(stored).toMatchObject({ usage: null, tools: null, tool_choice: null, seed: null, metadata: {} });
    expect(stored).toMatchObject({ choices: [{ message: { tool_calls: null, function_call: null, refusal: null } }] });
    expect(stored).not.toHaveProperty("finish_reason");
    expect(stored).not.toHaveProperty("error");
  });

  it("has a legacy call where its client is a legacy one", () => {
    const request = { functions: [{ name: "get_weather" }], tools: undefined };
    const stored = kept(chatCodec, true, { steps: call(1, "get_weather", ["{}"]), request });
    expect(storedCompletion(stored)).toMatchObject({
      choices: [
        {
          message: { function_call: { name: "get_weather", arguments: "{}" }, tool_calls: null },
          finish_reason: "function_call",
        },
      ],
    });
  });

  it("shows the format that was asked for in the form of this API", () => {
    const format = { type: "json_schema", json_schema: { name: "sky", schema: { type: "object" }, strict: true } };
    const stored = kept(chatCodec, false, { steps: [], request: { response_format: format } });
    expect(storedCompletion(stored)).toMatchObject({ response_format: format });
  });

  it("does not repeat parameters that are very long", () => {
    const long = [{ type: "function", function: { name: "f", description: "x".repeat(1024 * 1024) } }];
    const stored = kept(chatCodec, true, { steps: [], request: { tools: long } });
    expect(JSON.stringify(stored.body).length).toBeLessThan(1000);
    expect(stored.body.tools).toBeNull();
  });
});

const closed: Scene["ending"] = { type: "turn.failed", error: new TurnError("client_closed", "The client left.") };

describe.each([true, false])("an answer that did not come to its end (stream: %s)", (stream) => {
  it("is incomplete if its client left", () => {
    const steps = message("msg_1", ["Good "]);
    expect(storedResponse(kept(responsesCodec, stream, { steps, ending: closed }))).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "client_closed" },
      error: null,
      store: true,
      output: [{ content: [{ text: "Good " }] }],
    });
    const completion = storedCompletion(kept(chatCodec, stream, { steps, ending: closed }));
    expect(completion).toMatchObject({ choices: [{ message: { content: "Good " }, finish_reason: null }] });
    expect(completion).not.toHaveProperty("error");
  });

  it("has the error that ended it", () => {
    const ending = { ...failed, usage };
    expect(storedResponse(kept(responsesCodec, stream, { steps: [], ending }))).toMatchObject({
      status: "failed",
      error: { code: "upstream_cut", message: "The provider broke off." },
      usage: { total_tokens: 18 },
      output: [],
    });
    const completion = storedCompletion(kept(chatCodec, stream, { steps: [], ending }));
    expect(completion).toMatchObject({ error: { code: "upstream_cut" }, choices: [{ finish_reason: null }] });
  });

  it.each<[string, Codec]>([
    ["Responses", responsesCodec],
    ["Chat", chatCodec],
  ])("describes itself before anything was written, and writes nothing then: %s", (_api, codec) => {
    const request = codec.decode(
      { model: "m", input: "Hello", messages: [{ role: "user", content: "Hello" }], stream },
      { toolOutput: 1000 },
    );
    const written: string[] = [];
    const encoder = codec.createEncoder(request, {
      id: "answer-1",
      sink: { frame: (_event, json) => written.push(json), keepAlive: () => {}, end: () => {} },
      answer: { items: [], current: undefined },
      model: "m",
      createdAt: 1,
      now: () => 2,
      isKept: () => true,
      profile: "openai",
    });
    expect(JSON.parse(encoder.describe?.(closed) ?? "")).toMatchObject({ id: "answer-1", model: "m" });
    expect(written).toEqual([]);
  });
});

describe("the description of an answer", () => {
  it("leaves out what the store keeps elsewhere", () => {
    const scene = { steps: message("msg_1", ["Secret."]), request: { metadata: { topic: "sun" } } };
    for (const codec of [responsesCodec, chatCodec]) {
      const { body } = kept(codec, true, scene);
      for (const key of ["output", "metadata", "choices"]) expect(body).not.toHaveProperty(key);
      expect(JSON.stringify(body)).not.toContain("Secret.");
    }
  });
});

describe("`store` in a response", () => {
  it("is what is intended until the end, and then what was done", () => {
    let isKept = true;
    const scene: Scene = {
      steps: [...message("msg_1", ["Good day."]), "keep-alive"],
      isKept: () => isKept,
    };
    const told = framesOf(responsesCodec, {
      ...scene,
      get ending() {
        isKept = false;
        return finished();
      },
    }).flatMap(({ json }) => {
      const { type, response } = JSON.parse(json) as { type: string; response?: JsonObject };
      return response ? [[type, response.store]] : [];
    });
    expect(told).toEqual([
      ["response.created", true],
      ["response.in_progress", true],
      ["response.in_progress", true],
      ["response.completed", false],
    ]);
  });
});
