import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { TurnError } from "../turn/index.ts";

const conversationHeader = "x-toolwire-conversation";
const longest = 256;
/** Node reads the bytes of a name in UTF-8 as Latin-1. */
const conversationForm = /^[\x20-\x7e\x80-\xff]{1,256}$/;

/** What the headers of a turn say about its stored state. */
export interface StateHeaders {
  /** The client's name of the conversation. */
  conversation: string | undefined;
  idempotencyKey: string | undefined;
}

/** Throws if the name of the conversation cannot be used. */
export function stateHeadersOf(headers: IncomingHttpHeaders): StateHeaders {
  return { conversation: readConversation(one(headers[conversationHeader])), idempotencyKey: readKey(headers) };
}

function readConversation(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const name = header.trim();
  if (conversationForm.test(name)) return name;
  throw new TurnError(
    "unsupported_value",
    `The header ${conversationHeader} must be a name of 1 to ${longest} visible characters.`,
    { param: conversationHeader },
  );
}

/** A long key is hashed, because keys are stored. */
function readKey(headers: IncomingHttpHeaders): string | undefined {
  const key = one(headers["idempotency-key"])?.trim();
  if (!key) return undefined;
  return key.length <= longest ? key : `sha256-${createHash("sha256").update(key).digest("hex")}`;
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
