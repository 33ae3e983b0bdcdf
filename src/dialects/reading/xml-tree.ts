import type { JsonObject } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { isPoison } from "../core/json-words.ts";
import { unescapeEntities } from "./entities.ts";
import { itemOf, memberOf } from "./nested-schema.ts";
import { declaredTypes, readValue } from "./values.ts";

/** The content of a tag: text or nested tags. */
interface Content {
  /** All of it, as it is written. */
  text: string;
  children: Child[];
}

interface Child {
  name: string;
  content: Content;
}

/** Deepest nesting of arguments. */
const deepest = 64;
/** A tag takes as long as so many characters. */
const charactersPerTag = 16;
/** Longest list without brackets. */
const longestList = 64 * 1024;
const openingTag = /<([^\s<>/!?][^\s<>]*)(?:\s[^<>]*)?>/y;
const closingTag = /<\/\s*([^\s<>]+)\s*>/y;

/**
 * Reads the values of one parameter that are written as nested tags: a tag in a tag is a property of an object, a repeated tag is
 * a list. Content without tags is a plain value.
 */
export class XmlValues {
  readonly #block: Block;
  readonly #root: JsonObject | undefined;

  readonly #hasEntities: boolean;

  constructor(block: Block, hasEntities: boolean) {
    this.#block = block;
    this.#hasEntities = hasEntities;
    this.#root = block.tool?.parameters;
  }

  /** Returns JSON text. A repeated value that is not declared as a list makes the block text. */
  read(texts: readonly string[], schema: JsonObject | undefined): string {
    for (const text of texts) this.#block.take(countTags(text) * charactersPerTag);
    const contents = texts.map((text) => new TagReader(text, this.#root).read(schema));
    return this.#values(contents, schema, true);
  }

  #types(schema: JsonObject | undefined): ReturnType<typeof declaredTypes> {
    return declaredTypes(schema, this.#root);
  }

  #values(contents: readonly Content[], schema: JsonObject | undefined, keepsSpace: boolean): string {
    const [first] = contents;
    if (contents.length === 1 && first) return this.#value(first, schema, keepsSpace);
    const types = this.#types(schema);
    if (types.size > 0 && !types.has("array")) this.#block.fail("a parameter is given twice");
    return this.#row(contents, itemOf(schema, this.#root));
  }

  #row(contents: readonly Content[], items: JsonObject | undefined): string {
    return `[${contents.map((content) => this.#value(content, items, false)).join(",")}]`;
  }

  #value(content: Content, schema: JsonObject | undefined, keepsSpace: boolean): string {
    const types = this.#types(schema);
    if (types.has("array")) return this.#list(content, schema, keepsSpace);
    const { children } = content;
    const [first] = children;
    if (!first) return this.#plain(content, schema, keepsSpace);
    if (types.size === 0 || types.has("object")) return this.#object(children, schema);
    // An unnecessary tag around a value.
    if (children.length === 1) return this.#value(first.content, schema, false);
    return this.#plain(content, schema, keepsSpace);
  }

  #plain({ text }: Content, schema: JsonObject | undefined, keepsSpace: boolean): string {
    const { json, repairs } = readValue(this.#unescape(keepsSpace ? text : text.trim()), this.#types(schema));
    for (const repair of repairs) this.#block.repaired(repair);
    return json;
  }

  #unescape(text: string): string {
    return this.#hasEntities ? unescapeEntities(text) : text;
  }

  #object(children: readonly Child[], schema: JsonObject | undefined): string {
    const groups = new Map<string, Content[]>();
    for (const { name, content } of children) {
      const group = groups.get(name);
      if (group) group.push(content);
      else groups.set(name, [content]);
    }
    const properties = [...groups].map(([name, contents]) => {
      const property = memberOf(schema, name, this.#root);
      if (!property && isPoison(name)) this.#block.fail("a key is not safe");
      return `${JSON.stringify(name)}:${this.#values(contents, property, false)}`;
    });
    return `{${properties.join(",")}}`;
  }

  #list(content: Content, schema: JsonObject | undefined, keepsSpace: boolean): string {
    const items = itemOf(schema, this.#root);
    const { children, text } = content;
    if (children.length > 0) {
      if (this.#isOneObject(children, items)) return `[${this.#object(children, items)}]`;
      const contents = children.map((child) => child.content);
      return this.#row(contents, items);
    }
    const types = this.#types(schema);
    if (text.trim() === "" && !types.has("string")) return "[]";
    const { json, repairs } = readValue(this.#unescape(text), types);
    if (repairs.includes("not_declared_type")) {
      // Repeated tags are a list, so a single tag is a list of one.
      return `[${this.#unbracketed(text, items) ?? this.#plain(content, items, keepsSpace)}]`;
    }
    for (const repair of repairs) this.#block.repaired(repair);
    return json;
  }

  /** Items that are not strings may also be separated by commas or newlines. */
  #unbracketed(text: string, items: JsonObject | undefined): string | undefined {
    const types = this.#types(items);
    if (types.size === 0 || types.has("string") || text.length > longestList) return undefined;
    const values: string[] = [];
    for (const part of text.split(/[,\n]/)) {
      const { json, repairs } = readValue(part, types);
      if (repairs.length > 0) return undefined;
      values.push(json);
    }
    return values.join(",");
  }

  /** Whether the tags in a list are the properties of its only item, rather than items. */
  #isOneObject(children: readonly Child[], items: JsonObject | undefined): boolean {
    if (children.every(({ name }, index) => name === "item" || name === String(index))) return false;
    const [first] = children;
    if (first && memberOf(items, first.name, this.#root)) return true;
    const isRepeated = children.length > 1 && children.every(({ name }) => name === first?.name);
    const types = this.#types(items);
    return !isRepeated && (types.size === 0 || types.has("object"));
  }
}

/** Splits text into tags, in one pass. A tag that is declared as a string is not parsed inside. */
class TagReader {
  readonly #text: string;
  readonly #root: JsonObject | undefined;
  #at = 0;

  constructor(text: string, root: JsonObject | undefined) {
    this.#text = text;
    this.#root = root;
  }

  read(schema: JsonObject | undefined): Content {
    return this.#content(undefined, schema, 0) ?? { text: this.#text, children: [] };
  }

  /** Reads up to the closing tag of this name, or to the end; undefined if the tags do not match. */
  #content(name: string | undefined, schema: JsonObject | undefined, depth: number): Content | undefined {
    const start = this.#at;
    const children: Child[] = [];
    let isMixed = false;
    for (;;) {
      const found = this.#text.indexOf("<", this.#at);
      const until = found === -1 ? this.#text.length : found;
      if (this.#text.slice(this.#at, until).trim() !== "") isMixed = true;
      this.#at = until;
      const close = this.#match(closingTag);
      if (found === -1 || close) {
        if (close?.[1] !== name) return undefined;
        return { text: this.#text.slice(start, until), children: isMixed ? [] : children };
      }
      const open = this.#match(openingTag);
      if (open) {
        const child = this.#child(open[0], open[1] ?? "", schema, depth);
        if (!child) return undefined;
        children.push(child);
      } else {
        isMixed = true;
        this.#at++;
      }
    }
  }

  #child(tag: string, tagName: string, schema: JsonObject | undefined, depth: number): Child | undefined {
    const name = tagName.replace(/\/$/, "");
    if (tag.endsWith("/>")) return { name, content: { text: "", children: [] } };
    const inside = childSchema(schema, name, this.#root);
    const types = declaredTypes(inside, this.#root);
    const isString = types.size === 1 && types.has("string");
    const content = isString ? this.#string(name) : depth < deepest && this.#content(name, inside, depth + 1);
    return content ? { name, content } : undefined;
  }

  #string(name: string): Content | undefined {
    const close = `</${name}>`;
    const end = this.#text.indexOf(close, this.#at);
    if (end === -1) return undefined;
    const text = this.#text.slice(this.#at, end);
    this.#at = end + close.length;
    return { text, children: [] };
  }

  #match(tag: RegExp): RegExpExecArray | undefined {
    tag.lastIndex = this.#at;
    const match = tag.exec(this.#text) ?? undefined;
    if (match) this.#at += match[0].length;
    return match;
  }
}

function countTags(text: string): number {
  let count = 0;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1)) count++;
  return count;
}

/** A tag in a list is an item, or a property of its only item. */
function childSchema(schema: JsonObject | undefined, name: string, root: JsonObject | undefined) {
  const items = itemOf(schema, root);
  return memberOf(schema, name, root) ?? memberOf(items, name, root) ?? items;
}
