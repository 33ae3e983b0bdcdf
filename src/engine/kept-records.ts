import { type Extensions, isObject, type JsonObject, type JsonValue } from "../turn/index.ts";

/** What a client may lose of a call before it comes back, and its backend may want. */
export interface KeptCall {
  /** Who made the call. */
  backend: string;
  model: string;
  /** As the backend named it, where the client knows it by another id. */
  callId?: string | undefined;
  /** What the model thought before it. */
  reasoning: readonly KeptReasoning[];
  /** What else the service wants back beside the call. */
  fields?: JsonObject | undefined;
  /** What stood unread in the call, and the service wants back there. */
  extensions?: Extensions | undefined;
}

/** One reasoning item, with all that was given of it: some services want back the text, some the seal, some both. */
export interface KeptReasoning {
  id?: string | undefined;
  text?: string | undefined;
  /** What only the service itself can read. */
  encrypted?: string | undefined;
}

/** What a request must know of a response that it names and does not repeat. */
export interface KeptResponse {
  /** The provider's own id, where the client's does not carry it. */
  upstreamId?: string | undefined;
  /** What the provider calls the calls of the response, by the ids that the client knows. */
  callIds: ReadonlyMap<string, string>;
  /** Of the conversation up to there, where its calls are numbered; otherwise 0. */
  lastNumber: number;
}

export function writeCall({ backend, model, callId, reasoning, fields, extensions }: KeptCall): JsonObject {
  return {
    backend,
    model,
    callId,
    reasoning: reasoning.map(({ id, text, encrypted }) => ({ id, text, encrypted })),
    fields,
    extensions: extensions && { ...extensions },
  };
}

/** Nothing where the record is not one that this version can read: an older one may have written it. */
export function readCall(value: JsonValue | undefined): KeptCall | undefined {
  if (!isObject(value)) return undefined;
  const { backend, model, callId, reasoning, fields, extensions } = value;
  if (typeof backend !== "string" || typeof model !== "string") return undefined;
  return {
    backend,
    model,
    callId: textOrNothing(callId),
    reasoning: Array.isArray(reasoning) ? reasoning.filter(isObject).map(readReasoning) : [],
    fields: isObject(fields) ? fields : undefined,
    extensions: readExtensions(extensions),
  };
}

function readReasoning({ id, text, encrypted }: JsonObject): KeptReasoning {
  return { id: textOrNothing(id), text: textOrNothing(text), encrypted: textOrNothing(encrypted) };
}

function readExtensions(value: JsonValue | undefined): Extensions | undefined {
  if (!isObject(value) || typeof value.format !== "string" || !isObject(value.fields)) return undefined;
  return { format: value.format, fields: value.fields };
}

export function writeResponse({ upstreamId, callIds, lastNumber }: KeptResponse): JsonObject {
  return { upstreamId, callIds: [...callIds], lastNumber };
}

export function readResponse(value: JsonValue | undefined): KeptResponse | undefined {
  if (!isObject(value)) return undefined;
  const { upstreamId, callIds, lastNumber } = value;
  return {
    upstreamId: textOrNothing(upstreamId),
    callIds: new Map(Array.isArray(callIds) ? callIds.filter(isPair) : []),
    lastNumber: typeof lastNumber === "number" ? lastNumber : 0,
  };
}

function isPair(value: JsonValue): value is [string, string] {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "string";
}

function textOrNothing(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
