import { isObject, type JsonValue, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { isPoison } from "../core/json-words.ts";
import { declares, parameterSchema } from "../core/tools.ts";
import { declaredTypes, isPlainString, readValue } from "./values.ts";

/** Which whitespace belongs to the markup around a value, not to the value. */
export type Trim = "nothing" | "one newline" | "all";

/** Builds the arguments for dialects that write each parameter separately. */
export class ArgumentsObject {
  readonly #block: Block;
  readonly #names = new Set<string>();
  /** Repeated parameters: their values form a list. */
  readonly #lists = new Set<string>();

  constructor(block: Block) {
    this.#block = block;
  }

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Begins the next parameter; its value is added to the returned object. */
  parameter(name: string, trim: Trim): RawParameter {
    const { tool } = this.#block;
    const schema = tool && parameterSchema(tool, name);
    this.#check(name);
    if (this.#block.forbids(name)) {
      this.#block.repaired("undeclared_parameter");
      return new RawParameter(this.#block, new Set(), trim, "", true);
    }
    const isMore = this.#key(name);
    const types = declaredTypes(schema, tool?.parameters);
    if (!isMore) return new RawParameter(this.#block, types, trim);
    // The values of a repeated parameter have the type of the list's items.
    const itemTypes = types.has("array") ? declaredTypes(itemSchema(schema), tool?.parameters) : types;
    return new RawParameter(this.#block, itemTypes, trim, "]");
  }

  /** Begins the next parameter, whose value arrives as chunks of JSON text. A repeated parameter makes the block text. */
  json(name: string): (delta: string) => void {
    if (this.#names.has(name)) this.#block.fail("a parameter is given twice");
    this.#check(name);
    if (this.#block.forbids(name)) {
      this.#block.repaired("undeclared_parameter");
      return () => {};
    }
    this.#key(name);
    return (delta) => this.#block.arguments(delta);
  }

  #check(name: string): void {
    const { tool } = this.#block;
    if (isPoison(name) && !(tool && declares(tool, name))) this.#block.fail("a key is not safe");
  }

  /** True if the parameter is repeated: its value is another item of a list. */
  #key(name: string): boolean {
    if (this.#names.has(name)) {
      this.#reopen(name);
      return true;
    }
    this.#block.arguments(`${this.#names.size === 0 ? "{" : ","}${JSON.stringify(name)}:`);
    this.#names.add(name);
    return false;
  }

  #reopen(name: string): void {
    if (!this.#block.mends) this.#block.fail("a parameter is given twice");
    const held = this.#block.heldArguments;
    const given = held === undefined ? undefined : parseJson(`${held}}`);
    if (!isObject(given)) this.#block.fail("a parameter is given twice");
    const { [name]: before, ...others } = given;
    const list: JsonValue[] = this.#lists.has(name) && Array.isArray(before) ? before : [before ?? null];
    const start = JSON.stringify({ ...others, [name]: list });
    this.#lists.add(name);
    this.#block.replaceArguments(`${start.slice(0, -2)},`);
    this.#block.repaired("repeated_parameter");
  }

  end(): void {
    this.#block.arguments(this.#names.size === 0 ? "{}" : "}");
  }
}

function itemSchema(schema: ReturnType<typeof parameterSchema>) {
  return isObject(schema?.items) ? schema.items : undefined;
}

/** A value that is written without quotes or type. A string is emitted as it arrives, any other value when it is complete. */
export class RawParameter {
  readonly #block: Block;
  readonly #types: ReturnType<typeof declaredTypes>;
  readonly #trim: Trim;
  readonly #streams: boolean;
  /** Text that was not emitted yet. */
  #text = "";
  #isEmpty = true;
  /** Length of the newline before the value, once it is known. */
  #newline: number | undefined;

  /** Closes the list that contains the value. */
  readonly #after: string;

  /** The value is read but dropped. */
  readonly #isLeftOut: boolean;

  constructor(block: Block, types: ReturnType<typeof declaredTypes>, trim: Trim, after = "", isLeftOut = false) {
    this.#after = after;
    this.#isLeftOut = isLeftOut;
    this.#block = block;
    this.#types = types;
    this.#trim = trim;
    this.#streams = isPlainString(types);
    if (this.#streams) this.#emit('"');
  }

  add(text: string): void {
    if (text === "") return;
    if (!this.#streams) {
      this.#text += text;
      return;
    }
    let more = this.#text + text;
    if (this.#isEmpty) more = this.#withoutFirst(more);
    const kept = this.#trim === "nothing" ? 0 : this.#trailing(more);
    this.#text = more.slice(more.length - kept);
    if (more.length > kept) {
      this.#isEmpty = false;
      this.#emit(JSON.stringify(more.slice(0, more.length - kept)).slice(1, -1));
    }
  }

  end(): void {
    if (!this.#streams) {
      const { json, repairs } = readValue(this.#trimmed(), this.#types, this.#block.mends);
      for (const repair of repairs) this.#block.repaired(repair);
      this.#emit(json + this.#after);
      return;
    }
    // A carriage return that no newline followed belongs to the value.
    if (this.#trim === "one newline" && this.#text === "\r") this.#emit("\\r");
    this.#emit(`"${this.#after}`);
  }

  #emit(text: string): void {
    if (!this.#isLeftOut) this.#block.arguments(text);
  }

  #trimmed(): string {
    if (this.#trim === "all") return this.#text.trim();
    return this.#trim === "nothing" ? this.#text : this.#text.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
  }

  /** Removes whitespace before the value, once its length is certain. */
  #withoutFirst(text: string): string {
    if (this.#trim === "all") return text.trimStart();
    if (this.#trim === "nothing" || this.#newline !== undefined) return text;
    if (text === "\r") return text;
    this.#newline = text.startsWith("\n") ? 1 : text.startsWith("\r\n") ? 2 : 0;
    return text.slice(this.#newline);
  }

  /** Length of the whitespace at the end that may precede the closing tag. */
  #trailing(text: string): number {
    if (this.#trim === "all") return text.length - text.trimEnd().length;
    if (text.endsWith("\r\n")) return 2;
    return text.endsWith("\n") || text.endsWith("\r") ? 1 : 0;
  }
}
