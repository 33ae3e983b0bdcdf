import type { JsonValue } from "../turn/index.ts";

/** The type of a part that cannot be carried, as a word that a sentence may have: it is a stranger's, and may be anything. */
export function typeWord(type: JsonValue | undefined): string {
  return typeof type === "string" && /^[\w.-]{1,64}$/.test(type) ? type : "unknown";
}
