import type { Turn, TurnError } from "../turn/index.ts";

/** Which failures a Codex that asks must hear in a stream: of a full window it then makes room, and as an HTTP error it is stuck with it. */
export function toldInStream({ headers }: Pick<Turn, "headers">): ((error: TurnError) => boolean) | undefined {
  return /^codex/i.test(headers?.originator ?? "") ? isTooLong : undefined;
}

function isTooLong({ body }: TurnError): boolean {
  return body.code === "context_length_exceeded";
}

/** Whether it is a Codex that asks which a Toolwire has started: it tells its provider so. */
export function isOwnCodex({ headers }: Pick<Turn, "headers">): boolean {
  return headers?.originator === "toolwire";
}
