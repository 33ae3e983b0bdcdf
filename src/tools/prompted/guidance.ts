import { parseJson, type Settings, type ToolChoice, type ToolName, type Turn } from "../../turn/index.ts";
import { jsonLine } from "./json-line.ts";

const strict = "For tools marked strict, arguments MUST conform exactly to the schema.";
const none = "Never emit `<tool_call>` in this turn: answer in words.";
const required = "You must call at least one tool now.";
const forced = ["If you call a tool, it must be ", ", and you must call it now."] as const;
const allowed = ["In this turn you may call only these tools: ", "."] as const;
const allowedRequired = [allowed[0], ". You must call at least one of them now."] as const;
const one = "Write at most one `<tool_call>` block.";

/** Whether the turn lets the model call anything. */
export function canCall(turn: Turn): boolean {
  const { tools, choice } = turn;
  if (choice.mode === "none") return false;
  if (choice.mode === "forced") return tools.some((tool) => tool.type === "function" && tool.name === choice.tool.name);
  return choice.mode === "allowed" ? allowedNames(turn).length > 0 : tools.length > 0;
}

/** Instructions beyond the list of tools: a line for each rule that applies in this turn. */
export function writeGuidance(turn: Turn): string[] {
  if (!canCall(turn)) return [none];
  const lines: string[] = [];
  if (turn.tools.some((tool) => tool.type === "function" && tool.strict === true)) lines.push(strict);
  const choice = writeChoice(turn);
  if (choice !== undefined) lines.push(choice);
  if (turn.settings.parallelToolCalls === false) lines.push(one);
  return lines;
}

function writeChoice(turn: Turn): string | undefined {
  const { choice } = turn;
  switch (choice.mode) {
    case "required":
      return required;
    case "forced":
      return writeNames(forced, [choice.tool.name]);
    case "allowed":
      return writeNames(choice.required ? allowedRequired : allowed, allowedNames(turn));
    default:
      return undefined;
  }
}

/** Names that are not in the catalog are left out: they would mislead the model. */
function allowedNames({ tools, choice }: Turn): string[] {
  if (choice.mode !== "allowed") return [];
  const offered = new Set(tools.flatMap((tool) => (tool.type === "function" ? [tool.name] : [])));
  return choice.tools.flatMap(({ kind, name }) => (kind === "function" && offered.has(name) ? [name] : []));
}

function writeNames([before, after]: readonly [string, string], names: readonly string[]): string {
  return `${before}${names.map(jsonLine).join(", ")}${after}`;
}

export interface Guidance {
  choice: ToolChoice;
  parallelToolCalls: Settings["parallelToolCalls"];
}

/** Reads the lines of a guidance; `undefined` if one of them is anything else. */
export function readGuidance(lines: readonly string[]): Guidance | undefined {
  const left = [...lines];
  const takes = (line: string): boolean => left[0] === line && left.shift() !== undefined;
  takes(strict);
  const choice = left[0] === undefined ? undefined : readChoice(left[0]);
  if (choice) left.shift();
  const parallelToolCalls = takes(one) ? false : undefined;
  return left.length > 0 ? undefined : { choice: choice ?? { mode: "auto" }, parallelToolCalls };
}

function readChoice(line: string): ToolChoice | undefined {
  if (line === none) return { mode: "none" };
  if (line === required) return { mode: "required" };
  const [tool] = readNames(forced, line) ?? [];
  if (tool) return { mode: "forced", tool };
  for (const form of [allowedRequired, allowed]) {
    const tools = readNames(form, line);
    if (tools) return { mode: "allowed", required: form === allowedRequired, tools, others: [] };
  }
  return undefined;
}

function readNames([before, after]: readonly [string, string], line: string): ToolName[] | undefined {
  if (!line.startsWith(before) || !line.endsWith(after)) return undefined;
  const names = parseJson(`[${line.slice(before.length, line.length - after.length)}]`);
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) return undefined;
  return names.map((name) => ({ kind: "function", name }));
}
