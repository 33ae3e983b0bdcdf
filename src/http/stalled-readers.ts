import type { ServerResponse } from "node:http";
import { TurnError } from "../turn/index.ts";

/**
 * Closes the connection of a client that for this long reads nothing of what was written, or sends nothing more of its request.
 * `onStall` is called before.
 *
 * Node restarts a connection's timer with every byte that the system takes, also in the middle of a large write, so a slow client
 * that keeps reading is safe. A stall is detected after one to two times `milliseconds`.
 */
export function endStalledReader(
  raw: ServerResponse,
  milliseconds: number,
  onStall: (stopped: "reading" | "sending") => void,
): void {
  raw.setTimeout(milliseconds, () => {
    const stopped = raw.req.complete ? "reading" : "sending";
    // The timer also fires while the model is thinking and there is nothing to read.
    if (raw.writableLength === 0 && stopped === "reading") return;
    onStall(stopped);
    raw.destroy(new TurnError("client_closed", `The client stopped ${stopped}.`));
  });
}

/** Why a reply ended before it was complete. */
export function departureOf(raw: ServerResponse): TurnError {
  return raw.errored instanceof TurnError
    ? raw.errored
    : new TurnError("client_closed", "The client closed the connection.");
}
