import type { Continuity } from "../engine/index.ts";
import { type Turn, TurnError } from "../turn/index.ts";
import type { ClientRequest, ContinuedState } from "../wire/index.ts";

/** The error for a backend that cannot continue a stored response, conversation or item. */
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
 * Prepares a turn that continues a response which its provider has stored. The ids of the response and of its calls become those of
 * the provider, because the client may know them by other ids. `lastNumber` is the highest number of sequential call ids so far.
 */
export async function continueResponse(
  { turn, continues }: ClientRequest,
  continuity: Continuity,
): Promise<{ turn: Turn; lastNumber: number }> {
  if (continues?.responseId === undefined) return { turn, lastNumber: 0 };
  const { upstreamId, callIds, lastNumber = 0 } = (await continuity.response(continues.responseId)) ?? {};
  if (upstreamId === null) throw keptElsewhere(continues);
  const previousResponseId = upstreamId ?? turn.previousResponseId;
  const repeated = new Set(turn.input.flatMap((item) => (item.type === "call" ? [item.callId] : [])));
  const input = turn.input.map((item) => {
    const callId = item.type === "output" && !repeated.has(item.callId) ? callIds?.get(item.callId) : undefined;
    return callId === undefined ? item : { ...item, callId };
  });
  return { turn: { ...turn, previousResponseId, input }, lastNumber };
}
