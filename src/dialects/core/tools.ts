import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";

/** A tool that a call may name. */
export interface KnownTool {
  name: string;
  /** Its arguments are held until the call is complete, and are never repaired. */
  strict: boolean;
  /** A JSON Schema; untrusted. */
  parameters?: JsonObject | undefined;
  /** The parameter that takes all of the text, if the tool takes only free text. */
  freeText?: string | undefined;
}

/** Most schemas to look at for one value. `anyOf` and references can make a small schema describe millions. */
export const mostSchemas = 256;

/** The tools of a request by name, and by case-insensitive name if only one tool has it. */
export class KnownTools {
  readonly #tools: readonly KnownTool[];
  #byName: Map<string, KnownTool> | undefined;
  #byFoldedName: Map<string, KnownTool | null> | undefined;
  #initials: Set<number> | undefined;

  constructor(tools: readonly KnownTool[]) {
    this.#tools = tools;
  }

  get size(): number {
    return this.#names().size;
  }

  names(): Iterable<string> {
    return this.#names().keys();
  }

  /** Built on first use: most messages name no tool. */
  #names(): Map<string, KnownTool> {
    this.#byName ??= new Map(this.#tools.map((tool) => [tool.name, tool]));
    return this.#byName;
  }

  /** Whether the name of a tool begins with this character. */
  hasInitial(character: number): boolean {
    this.#initials ??= new Set([...this.names()].map((name) => name.charCodeAt(0)));
    return this.#initials.has(character);
  }

  get(name: string): KnownTool | undefined {
    return this.#names().get(name);
  }

  /** Matches the exact name, or else the one tool whose name differs only in case. */
  find(name: string): KnownTool | undefined {
    const exact = this.#names().get(name);
    if (exact) return exact;
    this.#byFoldedName ??= this.#fold();
    return this.#byFoldedName.get(name.toLowerCase()) ?? undefined;
  }

  #fold(): Map<string, KnownTool | null> {
    const folded = new Map<string, KnownTool | null>();
    for (const tool of this.#names().values()) {
      const key = tool.name.toLowerCase();
      folded.set(key, folded.has(key) ? null : tool);
    }
    return folded;
  }
}

/** The schema of one parameter, if the tool declares it. */
export function parameterSchema(tool: KnownTool, name: string): JsonObject | undefined {
  return propertyOf(tool.parameters, name, tool.parameters);
}

/** The schema of a property of an object's schema; references are followed only inside `root`. */
export function propertyOf(schema: JsonValue | undefined, name: string, root: JsonObject | undefined) {
  const object = resolve(schema, root);
  const { properties } = object ?? {};
  if (isObject(properties) && Object.hasOwn(properties, name)) return resolve(properties[name], root);
  return isObject(object?.additionalProperties) ? resolve(object.additionalProperties, root) : undefined;
}

/** Whether the tool declares a parameter of this name. */
export function declares(tool: KnownTool, name: string): boolean {
  const { properties } = resolve(tool.parameters, tool.parameters) ?? {};
  return isObject(properties) && Object.hasOwn(properties, name);
}

/** Whether the tool's schema forbids a parameter of this name. */
export function isForbidden(tool: KnownTool, name: string): boolean {
  const { properties, patternProperties, additionalProperties } = resolve(tool.parameters, tool.parameters) ?? {};
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name] === false;
  // Patterns are not evaluated: they are untrusted and may take forever.
  const mayMatch = isObject(patternProperties) && Object.values(patternProperties).some((schema) => schema !== false);
  return additionalProperties === false && !mayMatch;
}

/** Whether the tool cannot be called without arguments. */
export function needsArguments(tool: KnownTool): boolean {
  const { required } = resolve(tool.parameters, tool.parameters) ?? {};
  return Array.isArray(required) && required.length > 0;
}

/** The names of the parameters that the tool declares. */
export function parameterNames(tool: KnownTool): string[] {
  const { properties } = resolve(tool.parameters, tool.parameters) ?? {};
  return isObject(properties) ? Object.keys(properties) : [];
}

/** Follows `$ref` inside the schema, a few steps at most. */
export function resolve(schema: JsonValue | undefined, root: JsonObject | undefined): JsonObject | undefined {
  let found = schema;
  for (let step = 0; step < 8; step++) {
    if (!isObject(found)) return undefined;
    const { $ref: reference } = found;
    if (typeof reference !== "string") return found;
    found = lookUp(reference, root);
  }
  return undefined;
}

function lookUp(reference: string, root: JsonObject | undefined): JsonValue | undefined {
  if (!reference.startsWith("#/")) return undefined;
  let found: JsonValue | undefined = root;
  for (const step of reference.slice(2).split("/")) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}
