import { type Extensions, isObject, type JsonObject, type JsonValue } from "../turn/index.ts";

/** What a client may not send back of a call although its backend may want it. */
export interface KeptCall {
  /** The backend and the model that made the call. */
  backend: string;
  model: string;
  /** The backend's own id, if the client knows the call by another id. */
  callId?: string | undefined;
  /** The model's reasoning before the call. */
  reasoning: readonly KeptReasoning[];
  /** Other fields that the provider wants back with the call. */
  fields?: JsonObject | undefined;
  /** Unread fields of the call that the provider wants back in it. */
  extensions?: Extensions | undefined;
}

/**
 * One reasoning item, with everything that the provider sent of it: some providers want the text back, some the encrypted content,
 * some both.
 */
export interface KeptReasoning {
  id?: string | undefined;
  text?: string | undefined;
  /** Only the provider itself can decrypt it. */
  encrypted?: string | undefined;
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

/** `undefined` if this version cannot read the record: an older version may have written it. */
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

function textOrNothing(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
