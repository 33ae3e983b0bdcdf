import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { forms } from "../../src/dialects/known/index.ts";

interface Sent {
  pieces: Uint8Array[];
  label: string;
}

interface Case {
  kind: string;
  providerApi: string;
  request(): Sent;
  answer(api: string, isAskedToStream: boolean): Sent;
}

type Finding = (text: string) => void;
type CheckStream = (events: unknown[], finding: Finding, facts: { hasStrictTool: boolean }) => string;

const load = (file: string) => import(new URL(`../../bench/fuzz/${file}`, import.meta.url).href);
const { createCase }: { createCase: (from: object) => Case } = await load("cases/case.mjs");
const { knownCases }: { knownCases: object[] } = await load("cases/known.mjs");
const { readForm }: { readForm: (form: object) => object } = await load("cases/fragments.mjs");
const { parseEvents }: { parseEvents: (text: string, finding: Finding) => unknown[] } = await load("check/sse.mjs");
const { checkChatStream }: { checkChatStream: CheckStream } = await load("check/chat.mjs");
const { checkResponsesStream }: { checkResponsesStream: CheckStream } = await load("check/responses.mjs");
const { findLeaks, checkLog }: Record<"findLeaks" | "checkLog", (text: string, where?: string) => string[]> =
  await load("check/leaks.mjs");
const { secret }: { secret: string } = await load("run/settings.mjs");

const dialects = forms.map(readForm);
/** The known cases come first; they are large, and the same for all seeds. */
const numbers = Array.from({ length: 120 }, (_, number) => knownCases.length + number);

function digestOf(seed: string, number: number): string {
  const one = createCase({ seed, number, forms: dialects });
  const hash = createHash("sha256").update(one.kind);
  for (const { pieces, label } of [one.request(), one.answer(one.providerApi, true)]) {
    hash.update(label);
    for (const piece of pieces) hash.update(piece);
  }
  return hash.digest("hex");
}

describe("the cases of the fuzz", () => {
  it("are the same for the same seed and number, whatever was made before", () => {
    const once = numbers.map((number) => digestOf("a", number));
    const backwards = numbers.toReversed().map((number) => digestOf("a", number));
    expect(backwards.toReversed()).toEqual(once);
  });

  it("are others for another seed or number", () => {
    const all = ["a", "b"].flatMap((seed) => numbers.map((number) => digestOf(seed, number)));
    expect(new Set(all).size).toBe(all.length);
  });

  it("are of every kind", () => {
    const kinds = numbers.map((number) => createCase({ seed: "a", number, forms: dialects }).kind);
    expect(new Set(kinds)).toEqual(new Set(["request", "answer", "text"]));
  });
});

function findingsIn(check: CheckStream, text: string): string[] {
  const findings: string[] = [];
  const finding: Finding = (words) => findings.push(words);
  check(parseEvents(text, finding), finding, { hasStrictTool: true });
  return findings;
}

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const done = "data: [DONE]\n\n";
const failure = { message: "No.", type: "server_error", param: null, code: "upstream_cut" };
const call = (text: string) =>
  chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "forecast", arguments: text } }] });

function events(...list: { type: string; [key: string]: unknown }[]): string {
  const print = ({ type, ...rest }: { type: string }, sequence_number: number) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...rest })}\n\n`;
  return list.map(print).join("") + done;
}

const created = { type: "response.created", response: {} };
const completed = (...output: object[]) => ({ type: "response.completed", response: { status: "completed", output } });
const added = { type: "response.output_item.added", output_index: 0, item: { id: "i" } };
const finished = { type: "response.output_item.done", output_index: 0, item: { id: "i" } };

describe("the checks of the fuzz", () => {
  it.each([
    ["text", chunk({ content: "a" }) + chunk({}, "stop") + done],
    ["a strict call that fits", call('{"city":"Lisbon","days":null}') + chunk({}, "tool_calls") + done],
    ["an error at the end", `${chunk({ content: "a" })}data: ${JSON.stringify({ error: failure })}\n\n${done}`],
  ])("accept a Chat Completions stream: %s", (_, text) => {
    expect(findingsIn(checkChatStream, text)).toEqual([]);
  });

  it.each([
    ["no end", chunk({ content: "a" }) + done],
    ["no [DONE]", chunk({}, "stop")],
    ["two ends", chunk({}, "stop") + chunk({}, "stop") + done],
    ["text behind the end", chunk({}, "stop") + chunk({ content: "a" }) + done],
    ["an error behind the end", `${chunk({}, "stop")}data: ${JSON.stringify({ error: failure })}\n\n${done}`],
    ["an error without its keys", `data: {"error":{"message":"No."}}\n\n${done}`],
    ["the end tool_calls without a call", chunk({}, "tool_calls") + done],
    ["a strict call that does not fit", call('{"city":1}') + chunk({}, "tool_calls") + done],
    ["half an event", `${chunk({}, "stop")}data: [DO`],
  ])("find what is wrong with a Chat Completions stream: %s", (_, text) => {
    expect(findingsIn(checkChatStream, text)).not.toEqual([]);
  });

  it("accept a Responses stream", () => {
    expect(findingsIn(checkResponsesStream, events(created, added, finished, completed({ id: "i" })))).toEqual([]);
  });

  it.each([
    ["no end", events(created)],
    ["two ends", events(created, completed(), completed())],
    ["an item that was not added", events(created, finished, completed({ id: "i" }))],
    ["an item that is not done", events(created, added, completed())],
    ["an end without its items", events(created, added, finished, completed())],
    ["a sequence number twice", events(created) + events(completed())],
  ])("find what is wrong with a Responses stream: %s", (_, text) => {
    expect(findingsIn(checkResponsesStream, text)).not.toEqual([]);
  });

  it("find the provider's key, a stack, and a failure in the log", () => {
    expect(findLeaks(`key ${Buffer.from(`Bearer ${secret}`).toString("base64")}`, "answer")).toHaveLength(1);
    expect(
      findLeaks(`Error: no\n    at run (${import.meta.filename.replace(".ts", ".js")}:1:2)`, "answer"),
    ).toHaveLength(1);
    expect(checkLog('{"level":"error","msg":"internal error"}\n')).toHaveLength(1);
    expect(checkLog('{"level":"warn","msg":"turn failed"}\n')).toEqual([]);
  });
});
