import type { JsonValue } from "../turn/index.ts";

/** The type of an unsupported part, safe to use in a sentence: it comes from outside and may be anything. */
export function typeWord(type: JsonValue | undefined): string {
  return typeof type === "string" && /^[\w.-]{1,64}$/.test(type) ? type : "unknown";
}
