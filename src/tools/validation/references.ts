import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";

/** A subschema, and the resource around it (the schema with the nearest `$id`), which its own references are relative to. */
export interface SchemaLocation {
  schema: JsonObject | boolean;
  resource: JsonObject;
}

/**
 * Resolves a `$ref` inside one schema. Nothing is ever fetched, and no URL is resolved: the part before `#` must exactly equal an
 * `$id` of the schema (TypeBox writes recursion so).
 */
export class References {
  readonly #root: JsonObject;
  #ids: Map<string, JsonObject> | undefined;
  readonly #anchors = new Map<JsonObject, Map<string, JsonObject>>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  find(reference: string, from: JsonObject): SchemaLocation | undefined {
    const hash = reference.indexOf("#");
    const address = hash === -1 ? reference : reference.slice(0, hash);
    const fragment = hash === -1 ? "" : decoded(reference.slice(hash + 1));
    const resource = address === "" ? from : this.#named().get(address);
    if (!resource) return undefined;
    if (fragment === "") return { schema: resource, resource };
    if (fragment.startsWith("/")) return follow(resource, fragment);
    this.#named();
    const schema = this.#anchors.get(resource)?.get(fragment);
    return schema && { schema, resource };
  }

  /** The resource that references in this schema are relative to. */
  resourceOf(schema: JsonObject, around: JsonObject): JsonObject {
    return idOf(schema) === undefined || schema === this.#root ? around : schema;
  }

  #named(): Map<string, JsonObject> {
    if (!this.#ids) {
      this.#ids = new Map();
      this.#collect(this.#root, this.#root, this.#ids);
    }
    return this.#ids;
  }

  #collect(value: JsonValue | undefined, around: JsonObject, ids: Map<string, JsonObject>): void {
    if (Array.isArray(value)) for (const inside of value) this.#collect(inside, around, ids);
    if (!isObject(value)) return;
    const id = idOf(value);
    if (id !== undefined && !ids.has(id)) ids.set(id, value);
    const resource = this.resourceOf(value, around);
    for (const anchor of anchorsOf(value)) {
      const anchors = this.#anchors.get(resource) ?? new Map<string, JsonObject>();
      if (!anchors.has(anchor)) anchors.set(anchor, value);
      this.#anchors.set(resource, anchors);
    }
    for (const key of Object.keys(value)) if (!plainData.has(key)) this.#collect(value[key], resource, ids);
  }
}

/** Keywords whose values are not schemas, whatever they look like. */
const plainData = new Set(["enum", "const", "default", "examples"]);

function follow(resource: JsonObject, pointer: string): SchemaLocation | undefined {
  let at: JsonValue | undefined = resource;
  let around = resource;
  for (const escaped of pointer.slice(1).split("/")) {
    const key = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Array.isArray(at) ? at[Number(key)] : at[key];
    if (isObject(at) && idOf(at) !== undefined) around = at;
  }
  return isObject(at) || typeof at === "boolean" ? { schema: at, resource: around } : undefined;
}

/** The `$id` without its empty fragment. In old drafts an `$id` that is only a fragment is an anchor. */
function idOf({ $id }: JsonObject): string | undefined {
  if (typeof $id !== "string" || $id === "" || $id.startsWith("#")) return undefined;
  return $id.endsWith("#") ? $id.slice(0, -1) : $id;
}

function anchorsOf({ $anchor, $dynamicAnchor, $id }: JsonObject): string[] {
  const names = [$anchor, $dynamicAnchor, typeof $id === "string" && $id.startsWith("#") ? $id.slice(1) : undefined];
  return names.filter((name): name is string => typeof name === "string" && name !== "");
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
