import { type FunctionTool, isObject, parseJson, type Steps, type Turn } from "../../turn/index.ts";
import { sentinel, sentinelEnd } from "../sentinel.ts";
import { type Guidance, readGuidance, writeGuidance } from "./guidance.ts";
import { jsonLine } from "./json-line.ts";
import { stringAt } from "./record.ts";
import { peelSection } from "./section.ts";

const head = "# CLIENT TOOL CATALOG";

/** How a prompted model writes a call. */
export function sentinelBlock(call: { name: string; arguments: string }): string {
  return `${sentinel}${JSON.stringify({ name: call.name, arguments: call.arguments })}${sentinelEnd}`;
}

/** Explains records to the model, with tools or without. */
export const aboutRecords =
  "Past calls and results stand in the conversation as `[function_call …]` and `[function_call_output …]` records; never write such records yourself.";

const rules = [
  "You can call the tools listed below; the client runs them. Write a call only like this, on its own line, without Markdown fences:",
  sentinelBlock({ name: "NAME", arguments: '{"key":"value"}' }),
  '"arguments" is a string containing JSON. For several calls, write several blocks. After the last block, stop and wait: never write a result yourself.',
  aboutRecords,
  "The tools, one a line: name, description, JSON Schema of the arguments:",
];

/** The tools and how to call them, as a section of the prompt. */
export function* writeCatalog(turn: Turn): Steps<string> {
  const lines = [head, ...rules];
  for (const tool of turn.tools) {
    if (tool.type === "function") lines.push(writeTool(tool));
    yield;
  }
  return lines.concat(writeGuidance(turn)).join("\n");
}

/** As short as possible: there may be a hundred tools. */
function writeTool({ name, description, parameters, strict }: FunctionTool): string {
  const label = plainName.test(name) ? name : jsonLine(name);
  const parts = [description, parameters].flatMap((part) => (part === undefined ? [] : [jsonLine(part)]));
  return [`- ${label}${strict === true ? strictMark : ""}:`, ...parts].join(" ");
}

const plainName = /^[\w.-]+$/;
const strictMark = " strict";

export interface Catalog extends Guidance {
  tools: FunctionTool[];
}

/** Reads the catalog at the end of a prompt; `before` is the text in front of it. */
export function readCatalog(prompt: string): { before: string; catalog: Catalog } | undefined {
  const section = peelSection(prompt, head);
  if (!section || rules.some((rule, at) => section.lines[at] !== rule)) return undefined;
  const lines = section.lines.slice(rules.length);
  const end = lines.findIndex((line) => !line.startsWith("- "));
  const tools = lines.slice(0, end === -1 ? lines.length : end).map(readTool);
  const guidance = readGuidance(lines.slice(tools.length));
  if (!guidance || tools.length === 0 || !tools.every((tool) => tool !== undefined)) return undefined;
  return { before: section.before, catalog: { tools, ...guidance } };
}

function readTool(line: string): FunctionTool | undefined {
  const label = readLabel(line);
  if (!label) return undefined;
  const { name, rest } = label;
  const isStrict = rest.startsWith(strictMark);
  const said = isStrict ? rest.slice(strictMark.length) : rest;
  if (!said.startsWith(":")) return undefined;
  const description = said.startsWith(' "', 1) ? stringAt(said, 2) : undefined;
  const schema = said.slice(description?.end ?? 1);
  const parameters = schema === "" ? undefined : parseJson(schema.slice(1));
  if (parameters !== undefined && !isObject(parameters)) return undefined;
  if (parameters === undefined && schema !== "") return undefined;
  const strict = isStrict ? true : undefined;
  return { type: "function", name, description: description?.value, parameters, strict };
}

function readLabel(line: string): { name: string; rest: string } | undefined {
  const quoted = stringAt(line, 2);
  if (quoted) return { name: quoted.value, rest: line.slice(quoted.end) };
  const [name] = /^[\w.-]+/.exec(line.slice(2)) ?? [];
  return name === undefined ? undefined : { name, rest: line.slice(2 + name.length) };
}
