import { expect } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { chatCodec } from "../../src/wire/chat/index.ts";
import { responsesCodec } from "../../src/wire/responses/index.ts";
import { type ChatStream, type ChatStreamOptions, checkChatStream } from "../support/chat-stream.ts";
import { checkResponsesStream, type ResponsesStream } from "../support/responses-stream.ts";
import { type ChatWhole, checkChatWhole, checkResponsesWhole, type ResponsesWhole } from "../support/whole.ts";
import { call, message, type Scene, streamed, whole } from "./encoders.ts";

/** What a client has of the scene, read by the strictest of clients, which must find nothing wrong. */
export function chatStream(scene: Scene, options?: ChatStreamOptions): ChatStream {
  return faultless(checkChatStream(streamed(chatCodec, scene), options));
}

export function chatWhole(scene: Scene): ChatWhole {
  return faultless(checkChatWhole(whole(chatCodec, scene)));
}

export function responsesStream(scene: Scene): ResponsesStream {
  return faultless(checkResponsesStream(streamed(responsesCodec, scene), { profile: scene.profile ?? "openai" }));
}

export function responsesWhole(scene: Scene): ResponsesWhole {
  return faultless(checkResponsesWhole(whole(responsesCodec, scene)));
}

function faultless<Read extends { faults: string[] }>(read: Read): Read {
  expect(read.faults).toEqual([]);
  return read;
}

export const hello = message("msg_1", ["Hel", "lo."]);
export const rome = call(1, "get_weather", ['{"city":', '"Rome"}']);

export function outputText(words: string, more: JsonObject = {}): JsonObject {
  return { type: "output_text", text: words, annotations: [], logprobs: [], ...more };
}

export function messageItem(id: string, content: JsonObject[], more: JsonObject = {}): JsonObject {
  return { type: "message", id, status: "completed", role: "assistant", content, ...more };
}

/** `hello` and `rome` as items of a response. */
export const helloItem = messageItem("msg_1", [outputText("Hello.")]);
export const romeItem: JsonObject = {
  ...{ type: "function_call", id: "fc_1", call_id: "call_1", name: "get_weather" },
  ...{ arguments: '{"city":"Rome"}', status: "completed" },
};

/** The items that a client of Responses has in the end must be these, streamed and whole. */
export function expectOutput(scene: Scene, output: JsonObject[]): void {
  const { items, terminal } = responsesStream(scene);
  expect(items).toEqual(output);
  expect(terminal?.output).toEqual(output);
  expect(responsesWhole(scene).items).toEqual(output);
}
