import { isObject, type JsonValue, TurnError, wrong } from "../turn/index.ts";

/** Limits of OpenAI's API, in pairs and characters. They apply to metadata that is stored. */
const most = { pairs: 16, key: 64, value: 512 } as const;

/** Refuses metadata that cannot be stored: anything but a small object of texts. `null` counts as absent. */
export function checkStoredMetadata(metadata: JsonValue | undefined, param = "metadata"): void {
  if (metadata === undefined || metadata === null) return;
  if (!isObject(metadata)) throw wrong(param, "an object", metadata);
  const keys = Object.keys(metadata);
  if (keys.length > most.pairs) {
    const message = `\`${param}\` must have at most ${most.pairs} pairs, but has ${keys.length}.`;
    throw new TurnError("object_above_max_properties", message, { param });
  }
  for (const key of keys) checkPair(key, metadata[key], param);
}

function checkPair(key: string, value: JsonValue | undefined, param: string): void {
  if (key.length > most.key) throw tooLong(`keys of \`${param}\``, most.key, key.length, param);
  const at = `${param}.${key}`;
  if (typeof value !== "string") throw wrong(at, "a string", value);
  if (value.length > most.value) throw tooLong(`\`${at}\``, most.value, value.length, at);
}

function tooLong(subject: string, limit: number, length: number, param: string): TurnError {
  const message = `${subject} must have at most ${limit} characters if the answer is stored, but has ${length}.`;
  return new TurnError("string_above_max_length", message, { param });
}
