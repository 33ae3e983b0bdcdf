import { type FunctionTool, isObject, parseJson, type Turn } from "../../turn/index.ts";
import { sentinel, sentinelEnd } from "../sentinel.ts";
import { type Guidance, readGuidance, writeGuidance } from "./guidance.ts";
import { jsonLine } from "./json-line.ts";
import { peelSection } from "./section.ts";

const head = "# CLIENT TOOL CATALOG";

/** How a prompted model writes a call. */
export function sentinelBlock(call: { name: string; arguments: string }): string {
  return `${sentinel}${JSON.stringify({ name: call.name, arguments: call.arguments })}${sentinelEnd}`;
}

/** What a model has to know about records, with tools or without. */
export const aboutRecords =
  "Past calls and results stand in the conversation as `[function_call …]` and `[function_call_output …]` records; never write such records yourself.";

const rules = [
  "You can call the tools listed below; the client runs them. Write a call only like this, on its own line, without Markdown fences:",
  sentinelBlock({ name: "NAME", arguments: '{"key":"value"}' }),
  '"arguments" is a string containing JSON. For several calls, write several blocks. After the last block, stop and wait: never write a result yourself.',
  aboutRecords,
  "Tools, one JSON object per line:",
];

/** The tools and how to call them, as a section of the prompt. */
export function writeCatalog(turn: Turn): string {
  const tools = turn.tools.flatMap((tool) => (tool.type === "function" ? [writeTool(tool)] : []));
  return [head, ...rules, ...tools, ...writeGuidance(turn)].join("\n");
}

function writeTool({ name, description, parameters, strict }: FunctionTool): string {
  return jsonLine({ name, description, parameters, strict: strict === true ? true : undefined });
}

export interface Catalog extends Guidance {
  tools: FunctionTool[];
}

/** The catalog with which a prompt ends, and the words before it. */
export function readCatalog(prompt: string): { before: string; catalog: Catalog } | undefined {
  const section = peelSection(prompt, head);
  if (!section || rules.some((rule, at) => section.lines[at] !== rule)) return undefined;
  const lines = section.lines.slice(rules.length);
  const end = lines.findIndex((line) => !line.startsWith("{"));
  const tools = lines.slice(0, end === -1 ? lines.length : end).map(readTool);
  const guidance = readGuidance(lines.slice(tools.length));
  if (!guidance || tools.length === 0 || !tools.every((tool) => tool !== undefined)) return undefined;
  return { before: section.before, catalog: { tools, ...guidance } };
}

function readTool(line: string): FunctionTool | undefined {
  const tool = parseJson(line);
  if (!isObject(tool)) return undefined;
  const { name, description, parameters, strict, ...others } = tool;
  if (typeof name !== "string" || Object.keys(others).length > 0) return undefined;
  if (description !== undefined && typeof description !== "string") return undefined;
  if (parameters !== undefined && !isObject(parameters)) return undefined;
  if (strict !== undefined && strict !== true) return undefined;
  return { type: "function", name, description, parameters, strict };
}
