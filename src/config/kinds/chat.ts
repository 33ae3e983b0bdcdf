import { defineHttpKind } from "./http.ts";

/** A provider that speaks Chat Completions. */
export const chat = defineHttpKind("chat");
