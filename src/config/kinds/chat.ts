import { defineHttpKind } from "./http.ts";

/** A provider with the Chat Completions API. */
export const chat = defineHttpKind("chat");
