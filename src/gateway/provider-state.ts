import type { Continuity } from "../engine/index.ts";
import { type Turn, TurnError } from "../turn/index.ts";
import type { ClientRequest, ContinuedState } from "../wire/index.ts";

/** The refusal of a backend that cannot continue what another one keeps. */
export function keptElsewhere({ param, kind }: ContinuedState): TurnError {
  if (kind === "item") {
    const message = "An item_reference names an item that is not kept here. Send the item itself.";
    return new TurnError("item_not_found", message, { param });
  }
  return new TurnError(
    "previous_response_not_found",
    `\`${param}\` refers to something that is kept elsewhere: Toolwire keeps no responses yet, and this model's backend cannot. Send the whole conversation in \`input\`.`,
    { param },
  );
}

/**
 * A turn that goes on behind a response which is kept elsewhere, by the names of who keeps it: the response's, which its own id may
 * not carry, and those of its calls, which the client may know by others. `lastNumber` is that of its calls, where they have any.
 */
export async function continueResponse(
  { turn, continues }: ClientRequest,
  continuity: Continuity,
): Promise<{ turn: Turn; lastNumber: number }> {
  const id = continues?.responseId;
  if (id === undefined) return { turn, lastNumber: 0 };
  const { upstreamId, callIds, lastNumber = 0 } = (await continuity.response(id)) ?? {};
  const previousResponseId = upstreamId ?? turn.previousResponseId;
  const repeated = new Set(turn.input.flatMap((item) => (item.type === "call" ? [item.callId] : [])));
  const input = turn.input.map((item) => {
    const callId = item.type === "output" && !repeated.has(item.callId) ? callIds?.get(item.callId) : undefined;
    return callId === undefined ? item : { ...item, callId };
  });
  return { turn: { ...turn, previousResponseId, input }, lastNumber };
}
