import { isObject, type OutputFormat, parseJson } from "../../turn/index.ts";
import { jsonLine } from "./json-line.ts";
import { stringAt } from "./record.ts";
import { peelSection } from "./section.ts";

const head = "# ANSWER FORMAT";
const always = "Answer with one JSON object and nothing else: no Markdown fences.";
const withoutCall = "When you do not call a tool, answer with one JSON object and nothing else: no Markdown fences.";
const named = "The object is called ";
const fits = "It must fit this JSON Schema:";
const fitsExactly = "It MUST conform exactly to this JSON Schema:";

/** The answer's format as a section of the prompt; empty for plain text. */
export function writeFormat(format: OutputFormat | undefined, canCall: boolean): string {
  if (!format || format.type === "text") return "";
  const lines = [head, canCall ? withoutCall : always];
  if (format.type === "json_schema") {
    const { name, description, schema, strict } = format;
    lines.push(`${named}${jsonLine(name)}${description === undefined ? "" : `: ${jsonLine(description)}`}.`);
    if (schema) lines.push(strict === true ? fitsExactly : fits, jsonLine(schema));
  }
  return lines.join("\n");
}

/** Reads the format at the end of a prompt; `before` is the text in front of it. */
export function readFormat(prompt: string): { before: string; format: OutputFormat } | undefined {
  const section = peelSection(prompt, head);
  if (!section) return undefined;
  const [asked, ...lines] = section.lines;
  if (asked !== always && asked !== withoutCall) return undefined;
  const format = lines.length === 0 ? ({ type: "json_object" } as const) : readSchema(lines);
  return format && { before: section.before, format };
}

function readSchema([title = "", demand, json, ...others]: readonly string[]): OutputFormat | undefined {
  const titled = readTitle(title);
  if (!titled || others.length > 0) return undefined;
  if (demand === undefined) return { type: "json_schema", ...titled };
  const schema = parseJson(json ?? "");
  if ((demand !== fits && demand !== fitsExactly) || !isObject(schema)) return undefined;
  return { type: "json_schema", ...titled, schema, strict: demand === fitsExactly ? true : undefined };
}

function readTitle(line: string): { name: string; description: string | undefined } | undefined {
  const name = line.startsWith(named) ? stringAt(line, named.length) : undefined;
  if (!name) return undefined;
  const rest = line.slice(name.end);
  if (rest === ".") return { name: name.value, description: undefined };
  const description = rest.startsWith(": ") ? stringAt(rest, 2) : undefined;
  if (!description || rest.slice(description.end) !== ".") return undefined;
  return { name: name.value, description: description.value };
}
