import { type Document, isMap, isScalar, isSeq, parseDocument, type Scalar, type YAMLMap } from "yaml";
import type { JsonObject } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { isPoison } from "../core/json-words.ts";
import { itemOf, memberOf } from "./nested-schema.ts";
import { declaredTypes, readValue } from "./values.ts";

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Deepest nesting of arguments. */
const deepest = 64;
/** The parser takes as long for each of its tokens as others do for so many characters. */
const charactersPerToken = 32;
const blockScalar = /(?:^|[\s:-])[|>][-+\d]{0,3}$/;
const notYaml = "the arguments are not YAML";
/** Characters that begin or end a token. */
const marks = "\"'[]{},:?-#&*!";

/** Converts the arguments of the open call from YAML to JSON. Aliases and custom tags are rejected. */
export function yamlArguments(block: Block, text: string): string {
  if (text.trim() === "") return "{}";
  block.take(countTokens(text) * charactersPerToken);
  const document = parsed(text);
  if (!document || document.errors.length > 0 || document.warnings.length > 0) block.fail(notYaml);
  if (!isMap(document.contents)) block.fail(notYaml);
  return new YamlValues(block).object(document.contents, block.tool?.parameters, 0);
}

function parsed(text: string): Document | undefined {
  try {
    // The parser's own search for duplicate keys compares every pair; ours is linear.
    return parseDocument(text, { prettyErrors: false, logLevel: "silent", uniqueKeys: false });
  } catch {
    // The parser recurses for each level of brackets and may overflow the stack.
    return undefined;
  }
}

/** About how many tokens the text has. The lines of a block scalar are one, and so is a string in quotes. */
function countTokens(text: string): number {
  let count = 0;
  let scalarIndent = -1;
  for (const line of text.split("\n")) {
    const indent = line.length - line.trimStart().length;
    if (scalarIndent !== -1 && (indent > scalarIndent || indent === line.length)) continue;
    scalarIndent = blockScalar.test(line.trimEnd().slice(-8)) ? indent : -1;
    count += 1 + countMarks(line);
  }
  return count;
}

function countMarks(line: string): number {
  let count = 0;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === '"') at = endOfString(line, at);
    if (marks.includes(character)) count++;
  }
  return count;
}

function endOfString(line: string, from: number): number {
  for (let at = from + 1; at < line.length; at++) {
    if (line.charAt(at) === "\\") at++;
    else if (line.charAt(at) === '"') return at;
  }
  return line.length;
}

class YamlValues {
  readonly #block: Block;
  readonly #root: JsonObject | undefined;

  constructor(block: Block) {
    this.#block = block;
    this.#root = block.tool?.parameters;
  }

  object(map: YAMLMap, schema: JsonObject | undefined, depth: number): string {
    const names = new Set<string>();
    const members = map.items.flatMap(({ key, value }) => {
      if (!isScalar(key)) this.#block.fail(notYaml);
      const name = typeof key.value === "string" ? key.value : (key.source ?? "");
      const member = memberOf(schema, name, this.#root);
      if (names.has(name)) this.#block.fail("a parameter is given twice");
      if (!member && isPoison(name)) this.#block.fail("a key is not safe");
      names.add(name);
      if (depth === 0 && this.#block.forbids(name)) {
        this.#block.repaired("undeclared_parameter");
        return [];
      }
      return `${JSON.stringify(name)}:${this.#value(value, member, depth + 1)}`;
    });
    return `{${members.join(",")}}`;
  }

  #value(node: unknown, schema: JsonObject | undefined, depth: number): string {
    if (depth > deepest) this.#block.fail(notYaml);
    if (node === null) return "null";
    if (isScalar(node)) return this.#scalar(node, schema);
    if (isMap(node)) return this.object(node, schema, depth);
    if (!isSeq(node)) this.#block.fail(notYaml);
    const items = itemOf(schema, this.#root);
    return `[${node.items.map((item) => this.#value(item, items, depth + 1)).join(",")}]`;
  }

  /** The value that YAML reads, if its type is declared; otherwise its text, read by the declared types. */
  #scalar({ value, source }: Scalar, schema: JsonObject | undefined): string {
    const types = declaredTypes(schema, this.#root);
    const text = typeof value === "string" ? value : (source ?? "");
    if (types.size > 0 && !fits(value, types)) {
      const { json, repairs } = readValue(text, types);
      for (const repair of repairs) this.#block.repaired(repair);
      return json;
    }
    if (typeof value !== "number") return JSON.stringify(value ?? null);
    if (jsonNumber.test(text)) return text;
    return JSON.stringify(Number.isFinite(value) ? value : text);
  }
}

function fits(value: unknown, types: ReturnType<typeof declaredTypes>): boolean {
  if (value === null) return types.has("null");
  if (typeof value === "string") return types.has("string");
  if (typeof value === "boolean") return types.has("boolean");
  return types.has("number") || (types.has("integer") && Number.isInteger(value));
}
