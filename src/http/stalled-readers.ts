import type { ServerResponse } from "node:http";
import { TurnError } from "../turn/index.ts";

/**
 * Ends the connection of a client that takes nothing of what was written for this long, or sends nothing more of its request;
 * `onStall` is told before.
 *
 * Node's own timer of a connection begins anew with every byte that the system takes, also in the middle of a large write, so
 * that a slow reader is safe as long as it moves. Only the last look at the queue tells that nothing has moved: a stall is seen
 * after once to twice the time.
 */
export function endStalledReader(raw: ServerResponse, milliseconds: number, onStall: () => void): void {
  raw.setTimeout(milliseconds, () => {
    // The timer runs on while there is nothing to take: a model thinks.
    const sending = !raw.req.complete;
    if (raw.writableLength === 0 && !sending) return;
    onStall();
    raw.destroy(new TurnError("client_closed", `The client stopped ${sending ? "sending" : "reading"}.`));
  });
}

/** Why a reply ended before it was whole. */
export function departureOf(raw: ServerResponse): TurnError {
  return raw.errored instanceof TurnError
    ? raw.errored
    : new TurnError("client_closed", "The client closed the connection.");
}
