import type { JsonObject } from "../../../src/turn/index.ts";
import type { Api } from "../../support/api.ts";
import { conversation, type Reply, type Script, type ScriptRequest, sseFrames } from "../../support/provider.ts";
import { chatChunks } from "../../support/scripted-chat.ts";
import { responsesEvents } from "../../support/scripted-responses.ts";
import { inSequence, piecesOf, type ScriptedItem } from "../../support/scripted-turn.ts";

/** Every model answers it with `welcome`. */
export const greeting = "Good morning.";
export const welcome = "Good morning to you.";
export const question = "The weather in Köln and 東京?";
export const cities = ["Köln", "東京"];
export const preamble = "Let me look.";
export const thought = "Two cities, two calls.";
export const answer = "Final: Köln: 21 and 東京: 21.";
/** Of both turns together. */
export const usage = { input: 100, output: 20 };
/** What the provider says where it takes no request. */
export const refusal = "The conversation is too long for this model.";
/** What Toolwire says of a provider that breaks off. */
export const broken = /The connection to the backend "\w+" broke off/;

/** Models that ask for the weather in two cities and then repeat what they are told; only what comes before the calls differs. */
export const scenes = ["plain", "talkative", "thoughtful"] as const;
/** It does the same, and its answer has a form: `{"answer": …}`. */
export const formal = "formal";

/** The provider's models, by their names. */
export function script({ api, body, model }: ScriptRequest): Reply {
  if (isGreeted(body)) return { say: welcome };
  if (model === "refusing") return refused(refusal, "context_length_exceeded");
  if (model === "cut-in-text") return brokenOff(api, { kind: "message", text: "It is raining in Köln." });

  const entries = conversation(body);
  const calls = entries.filter((entry) => entry.kind === "call");
  const outputs = entries.filter((entry) => entry.kind === "output");
  if (outputs.length === 0) return firstTurn(api, model);
  // As real providers do, it takes only a conversation in which every call has its one result.
  const results = calls.map(({ id }) => outputs.filter((output) => output.id === id));
  if (outputs.length !== calls.length || results.some(({ length }) => length !== 1)) {
    return refused("Every call needs its result.", "invalid_conversation");
  }
  const text = `Final: ${results.map(([result]) => result?.text).join(" and ")}.`;
  return { say: model === formal ? JSON.stringify({ answer: text }) : text, usage: { input: 60, output: 8 } };
}

/** A model that answers the greeting, and everything else as another one does. */
export function greeted(model: Script): Script {
  return (request) => (isGreeted(request.body) ? { say: welcome } : model(request));
}

function isGreeted(body: JsonObject): boolean {
  const last = conversation(body).at(-1);
  return last?.kind === "message" && last.text === greeting;
}

function firstTurn(api: Api, model: string): Reply {
  if (model === "cut-in-call")
    return brokenOff(api, { kind: "call", tool: "function", id: "call_cut", ...callFor("Köln") });
  if (model === "short") return { calls: [{ name: "get_weather", arguments: '{"city":"Kö' }], finish: "length" };
  return {
    ...(model === "talkative" && { say: preamble }),
    ...(model === "thoughtful" && { think: thought }),
    calls: cities.map(callFor),
    interleave: true,
    chunk: 3,
    usage: { input: 40, output: 12 },
  };
}

function callFor(city: string) {
  return { name: "get_weather", arguments: JSON.stringify({ city }) };
}

function refused(message: string, code: string): Reply {
  return { status: 400, body: { error: { message, type: "invalid_request_error", param: null, code } } };
}

/** The beginning of an item, and then the end of the connection. */
function brokenOff(api: Api, item: ScriptedItem): Reply {
  const turn = { items: [item], finish: null };
  const rendering = { pieces: piecesOf(4), weave: inSequence };
  const head = { model: "scripted" };
  const payloads = api === "chat" ? chatChunks(turn, head, rendering) : responsesEvents(turn, head, rendering);
  // What comes before an item's first pieces: a role here, the response and the item's frame there.
  const begun = payloads.slice(0, api === "chat" ? 3 : 6);
  return { bytes: [...sseFrames(api, begun, false), "cut"] };
}
