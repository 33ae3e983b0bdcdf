import { readMessage, unknownTool } from "../../dialects/index.ts";
import { isObject, type JsonValue, parseJson } from "../../turn/index.ts";
import { displayPath } from "../load.ts";
import { Complaint } from "./complaint.ts";
import { readText } from "./file.ts";
import type { Part } from "./parts.ts";

export type Dialects = "auto" | "none" | string[];

/** Reads tools from a file: a list in the shape of either API, or a request that contains one. */
export async function readToolsFile(file: string): Promise<JsonValue[]> {
  const value = parseJson(await readText(file));
  const list = isObject(value) ? (value.tools ?? value.functions) : value;
  if (!Array.isArray(list)) {
    throw new Complaint(`${displayPath(file)} must be a JSON list of tools, or a request with one`);
  }
  return list.map(asTool);
}

/** Entries of Chat's legacy `functions` have no type; all other tools have one. */
function asTool(tool: JsonValue): JsonValue {
  return isObject(tool) && tool.type === undefined && typeof tool.name === "string"
    ? { type: "function", ...tool }
    : tool;
}

export function toolNamed(name: string): JsonValue {
  return { type: "function", name };
}

/** Bounds the number of passes: each pass over the text finds at least one name. No real answer has so many. */
const most = 64;

/** The tool names that occur in calls, for a replay without declared tools. */
export function namesWritten(parts: readonly Part[], dialects: Exclude<Dialects, "none">): string[] {
  const names = new Set(parts.flatMap((part) => (part.kind === "call" ? [part.name] : [])));
  const texts = parts.flatMap((part) =>
    part.kind === "message" || part.kind === "reasoning" ? [{ ...part, text: part.pieces.join("") }] : [],
  );
  // In a block with several calls a name is only found once the one before it is known.
  for (let before = -1; before < names.size && names.size < most; ) {
    before = names.size;
    for (const { kind, text } of texts) {
      const options = { tools: [...names], dialects, beginsInReasoning: kind === "reasoning" };
      for (const { name, reason } of readMessage(text, options).rejected) {
        if (reason === unknownTool && name !== undefined && plausible.test(name)) names.add(name);
      }
    }
  }
  return [...names];
}

const plausible = /^[\p{L}_][\p{L}\p{N}_.:/-]*$/u;
