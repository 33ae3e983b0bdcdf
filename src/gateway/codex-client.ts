import type { Turn, TurnError } from "../turn/index.ts";

/**
 * Whether a failure must be sent inside a stream, if the client is Codex. Codex shortens its history when a stream reports a full
 * context window, but not when an HTTP error does.
 */
export function toldInStream({ headers }: Pick<Turn, "headers">): ((error: TurnError) => boolean) | undefined {
  return /^codex/i.test(headers?.originator ?? "") ? isTooLong : undefined;
}

function isTooLong({ body }: TurnError): boolean {
  return body.code === "context_length_exceeded";
}

/** Whether the client is a Codex process that a Toolwire has started: such a process sends `originator: toolwire`. */
export function isOwnCodex({ headers }: Pick<Turn, "headers">): boolean {
  return headers?.originator === "toolwire";
}
