import { isObject, type JsonObject, type JsonValue } from "../../../src/turn/index.ts";
import { objectsOf } from "../../support/folded.ts";
import { conversation, itemsReply, type Reply, type Script, type ScriptRequest } from "../../support/provider.ts";
import type { Way } from "./codex-cli-stage.ts";

/** A tool as the model is told of it. */
export interface SeenTool {
  type: "function" | "custom" | "tool_search";
  name: string;
  namespace?: string;
  description: string;
}

/** A request as its model sees it. */
export interface Seen {
  way: Way;
  tools: SeenTool[];
  /** What came of its calls so far, in order. */
  outputs: string[];
}

/** What a model wants to call: free text for a tool that takes it, arguments for another. */
export interface Wish {
  tool: string;
  input: string | JsonObject;
}

/** What a model does with what it sees: some calls, or its answer. */
export type Step = (seen: Seen) => Wish[] | string;

/** A model that goes from step to step: the next one comes when all that it called so far has its output. */
export function modelOf(...steps: Step[]): Script {
  return (request) => {
    const seen = see(request);
    let awaited = 0;
    for (const step of steps) {
      const move = step({ ...seen, outputs: seen.outputs.slice(0, awaited) });
      if (typeof move === "string") return { say: move };
      if (seen.outputs.length <= awaited) return replyWith(seen, move);
      awaited += move.length;
    }
    return refused("The script has no more steps.");
  };
}

export function see({ api, body }: ScriptRequest): Seen {
  const entries = conversation(body);
  if (api === "responses") {
    const items = objectsOf(body.input);
    const found = items.flatMap((item) => objectsOf(item.tools));
    const outputs = items.filter(({ type }) => /_output$/.test(String(type))).map((item) => outputOf(item));
    return { way: "responses", tools: [...objectsOf(body.tools), ...found].flatMap((tool) => read(tool)), outputs };
  }
  const text = entries.map((entry) => ("text" in entry ? entry.text : "")).join("\n");
  const [, catalog] = text.split("# CLIENT TOOL CATALOG");
  if (body.tools === undefined && catalog !== undefined) {
    return { way: "prompted", tools: readCatalog(catalog), outputs: readRecords(text) };
  }
  const functions = objectsOf(body.tools).flatMap((tool) => (isObject(tool.function) ? [tool.function] : []));
  return {
    way: "chat",
    tools: functions.flatMap((tool) => read({ ...tool, type: "function" })),
    outputs: entries.flatMap((entry) => (entry.kind === "output" ? [entry.text] : [])),
  };
}

/** What a request told of what came out of a command or a tool, without the words before. */
export function afterHeading(output: string | undefined): string {
  return (output ?? "").replace(/^[\s\S]*?\nOutput:\n{0,2}/, "");
}

const record = /^\[function_call_output call_id=("(?:[^"\\]|\\.)*") output=("(?:[^"\\]|\\.)*")\]$/gm;

function readRecords(text: string): string[] {
  return [...text.matchAll(record)].map(([, , output = '""']) => String(JSON.parse(output)));
}

function readCatalog(catalog: string): SeenTool[] {
  const lines = catalog.matchAll(/^- ([\w.-]+)(?: strict)?:(?: ("(?:[^"\\]|\\.)*"))?/gm);
  return [...lines].map(([, name = "", description = '""']) => ({
    ...{ type: "function", name, description: String(JSON.parse(description)) },
  }));
}

function read(tool: JsonObject, namespace?: string): SeenTool[] {
  const { type, name, description } = tool;
  if (type === "namespace") return objectsOf(tool.tools).flatMap((inner) => read(inner, String(name)));
  if (type !== "function" && type !== "custom" && type !== "tool_search") return [];
  return [
    { type, name: String(name ?? type), description: String(description ?? ""), ...(namespace && { namespace }) },
  ];
}

function outputOf(item: JsonObject): string {
  if (item.type === "tool_search_output") return JSON.stringify(item.tools);
  return textOf(item.output);
}

function textOf(output: JsonValue | undefined): string {
  if (typeof output === "string") return output;
  return objectsOf(output)
    .map(({ text }) => String(text ?? ""))
    .join("");
}

function replyWith(seen: Seen, wishes: Wish[]): Reply {
  const calls = wishes.map(({ tool: name, input }) => ({ tool: findTool(seen, name), input }));
  const missing = calls.findIndex(({ tool }) => tool === undefined);
  if (missing >= 0) return refused(`No tool ${wishes[missing]?.tool} is offered.`);
  const made = calls.flatMap(({ tool, input }, index) =>
    tool ? [{ tool, input, id: `call_${seen.outputs.length}_${index}` }] : [],
  );
  if (seen.way === "responses" && made.some(({ tool }) => tool.namespace ?? tool.type === "tool_search")) {
    return itemsReply(made.map(({ tool, input, id }) => itemOf(tool, input, id)));
  }
  if (seen.way === "responses") {
    return {
      calls: made.map(({ tool: { name, type }, input, id }) => ({
        ...{ id, name, kind: type === "custom" ? "custom" : "function" },
        arguments: typeof input === "string" ? input : JSON.stringify(input),
      })),
    };
  }
  const written = made.map(({ tool, input, id }) => ({
    id,
    name: tool.name,
    arguments: JSON.stringify(typeof input === "string" ? { input } : input),
  }));
  if (seen.way === "chat") return { calls: written };
  return {
    say: written
      .map(({ name, arguments: text }) => `<tool_call>${JSON.stringify({ name, arguments: text })}</tool_call>`)
      .join("\n"),
  };
}

/** A namespace may be a part of the name that a model is told. */
function findTool({ tools }: Seen, name: string): SeenTool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.name.endsWith(`__${name}`));
}

function itemOf({ type, name, namespace }: SeenTool, input: Wish["input"], call_id: string): JsonObject {
  const identity = { call_id, status: "completed", ...(type !== "tool_search" && { name }) };
  const place = namespace === undefined ? {} : { namespace };
  switch (type) {
    case "tool_search":
      return { id: `tsc_${call_id}`, type: "tool_search_call", ...identity, execution: "client", arguments: input };
    case "custom":
      return { id: `ctc_${call_id}`, type: "custom_tool_call", ...identity, ...place, input };
    case "function":
      return { id: `fc_${call_id}`, type: "function_call", ...identity, ...place, arguments: JSON.stringify(input) };
  }
}

function refused(message: string): Reply {
  return { status: 400, body: { error: { message, type: "invalid_request_error", param: null, code: null } } };
}
