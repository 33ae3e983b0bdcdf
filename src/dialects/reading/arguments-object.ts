import { isObject } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { isPoison } from "../core/json-words.ts";
import { declares, parameterSchema } from "../core/tools.ts";
import { RepeatedParameters } from "./repeated-parameters.ts";
import { declaredTypes, isPlainString, readValue } from "./values.ts";

/** Which whitespace belongs to the markup around a value, not to the value. */
export type Trim = "nothing" | "one newline" | "all";

/** Receives the JSON text of a value. */
interface ValueSink {
  arguments(delta: string): void;
  valueEnded?(): void;
}

const givenTwice = "a parameter is given twice";
/** For a value that is read but dropped. */
const nowhere: ValueSink = { arguments() {} };

/** Builds the arguments for dialects that write each parameter separately. */
export class ArgumentsObject {
  readonly #block: Block;
  /** The parameters so far, and where in the arguments the value of each begins. */
  readonly #starts = new Map<string, number>();
  /** Holds the arguments once a parameter is repeated, unless they have been emitted. */
  #repeated: RepeatedParameters | undefined;

  constructor(block: Block) {
    this.#block = block;
  }

  get isEmpty(): boolean {
    return this.#starts.size === 0;
  }

  has(name: string): boolean {
    return this.#starts.has(name);
  }

  /** Begins the next parameter; its value is added to the returned object. */
  parameter(name: string, trim: Trim): RawParameter {
    const { tool } = this.#block;
    const schema = tool && parameterSchema(tool, name);
    this.#check(name);
    if (this.#block.forbids(name)) {
      this.#block.repaired("undeclared_parameter");
      return new RawParameter(this.#block, new Set(), trim, nowhere);
    }
    const types = declaredTypes(schema, tool?.parameters);
    if (!this.has(name)) {
      this.#begin(name);
      return new RawParameter(this.#block, types, trim, this);
    }
    this.#repeat(name);
    // The values of a repeated parameter have the type of the list's items.
    const itemTypes = types.has("array") ? declaredTypes(itemSchema(schema), tool?.parameters) : types;
    const valueEnded = () => {
      if (!this.#repeated) this.#block.arguments("]");
    };
    return new RawParameter(this.#block, itemTypes, trim, { arguments: (delta) => this.arguments(delta), valueEnded });
  }

  /** Begins the next parameter, whose value arrives as chunks of JSON text. A repeated parameter makes the block text. */
  json(name: string): (delta: string) => void {
    if (this.has(name)) this.#block.fail(givenTwice);
    this.#check(name);
    if (this.#block.forbids(name)) {
      this.#block.repaired("undeclared_parameter");
      return () => {};
    }
    this.#begin(name);
    return (delta) => this.arguments(delta);
  }

  /** Appends to the value of the last parameter. */
  arguments(delta: string): void {
    if (!this.#repeated) {
      this.#block.arguments(delta);
      return;
    }
    this.#repeated.add(delta);
    if (this.#repeated.length > this.#block.patience) this.#release();
  }

  #check(name: string): void {
    const { tool } = this.#block;
    if (isPoison(name) && !(tool && declares(tool, name))) this.#block.fail("a key is not safe");
  }

  #begin(name: string): void {
    const { size } = this.#starts;
    if (this.#repeated) this.#repeated.begin(name);
    else this.#block.arguments(`${size === 0 ? "{" : ","}${JSON.stringify(name)}:`);
    this.#starts.set(name, this.#block.heldArguments?.length ?? 0);
  }

  #repeat(name: string): void {
    if (!this.#block.mends) this.#block.fail(givenTwice);
    this.#repeated ??= this.#taken();
    this.#repeated.begin(name);
    this.#block.repaired("repeated_parameter");
  }

  /** Takes the arguments back from the block, which has not emitted them. */
  #taken(): RepeatedParameters {
    const held = this.#block.heldArguments;
    if (held === undefined) this.#block.fail(givenTwice);
    const repeated = new RepeatedParameters();
    const starts = [...this.#starts];
    for (const [index, [name, start]] of starts.entries()) {
      const next = starts[index + 1];
      // Before the next value are a comma, its key, and a colon.
      const end = next ? next[1] - JSON.stringify(next[0]).length - 2 : held.length;
      repeated.begin(name);
      repeated.add(held.slice(start, end));
    }
    this.#block.replaceArguments("");
    return repeated;
  }

  #release(): void {
    const text = this.#repeated?.join() ?? "";
    this.#repeated = undefined;
    this.#block.arguments(text);
  }

  end(): void {
    if (this.isEmpty) this.#block.arguments("{}");
    else {
      const close = this.#repeated?.close ?? "";
      this.#release();
      this.#block.arguments(`${close}}`);
    }
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

  readonly #sink: ValueSink;

  constructor(block: Block, types: ReturnType<typeof declaredTypes>, trim: Trim, sink: ValueSink = block) {
    this.#block = block;
    this.#sink = sink;
    this.#types = types;
    this.#trim = trim;
    this.#streams = isPlainString(types);
    if (this.#streams) this.#sink.arguments('"');
  }

  add(text: string): void {
    if (text === "") return;
    if (!this.#streams) {
      this.#text += text;
      return;
    }
    // Whitespace that may be at the end is looked at once, however long it is.
    if (this.#trim === "all" && !this.#isEmpty && text.trimStart() === "") {
      this.#text += text;
      return;
    }
    let more = this.#text + text;
    if (this.#isEmpty) more = this.#withoutFirst(more);
    const kept = this.#trim === "nothing" ? 0 : this.#trailing(more);
    this.#text = more.slice(more.length - kept);
    if (more.length > kept) {
      this.#isEmpty = false;
      this.#sink.arguments(JSON.stringify(more.slice(0, more.length - kept)).slice(1, -1));
    }
  }

  end(): void {
    if (!this.#streams) {
      const { json, repairs } = readValue(this.#trimmed(), this.#types, this.#block.mends);
      for (const repair of repairs) this.#block.repaired(repair);
      this.#sink.arguments(json);
    } else {
      // A carriage return that no newline followed belongs to the value.
      if (this.#trim === "one newline" && this.#text === "\r") this.#sink.arguments("\\r");
      this.#sink.arguments('"');
    }
    this.#sink.valueEnded?.();
  }

  #trimmed(): string {
    if (this.#trim === "all") return this.#text.trim();
    if (this.#trim === "nothing") return this.#text;
    const text = this.#text.replace(/^\r?\n/, "");
    if (text.endsWith("\r\n")) return text.slice(0, -2);
    return text.endsWith("\n") ? text.slice(0, -1) : text;
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
