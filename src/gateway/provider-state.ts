import type { Continuity } from "../engine/index.ts";
import { type Item, type JsonObject, type Turn, TurnError } from "../turn/index.ts";

/** What only the provider that kept it can continue, as the refusal of all others. */
export function foreignState(turn: Turn, body: JsonObject): TurnError | undefined {
  if (turn.api !== "responses") return undefined;
  for (const param of ["previous_response_id", "conversation", "prompt"]) {
    if (body[param] === undefined || body[param] === null) continue;
    return new TurnError(
      "previous_response_not_found",
      `\`${param}\` refers to something that is kept elsewhere: Toolwire keeps no responses yet, and this model's backend cannot. Send the whole conversation in \`input\`.`,
      { param },
    );
  }
  const at = turn.input.findIndex(isReference);
  if (at < 0) return undefined;
  return new TurnError(
    "item_not_found",
    "An item_reference names an item that is not kept here. Send the item itself.",
    { param: `input[${at}]` },
  );
}

function isReference(item: Item): boolean {
  return item.type === "opaque" && item.fields.type === "item_reference";
}

/**
 * A turn that goes on behind a response which is kept elsewhere, by the names of who keeps it: the response's, which its own id may
 * not carry, and those of its calls, which the client may know by others. `lastNumber` is that of its calls, where they have any.
 */
export async function continueResponse(
  turn: Turn,
  body: JsonObject,
  continuity: Continuity,
): Promise<{ turn: Turn; lastNumber: number }> {
  const { previous_response_id: id } = body;
  if (typeof id !== "string") return { turn, lastNumber: 0 };
  const { upstreamId, callIds, lastNumber = 0 } = (await continuity.response(id)) ?? {};
  const previousResponseId = upstreamId ?? turn.previousResponseId;
  const repeated = new Set(turn.input.flatMap((item) => (item.type === "call" ? [item.callId] : [])));
  const input = turn.input.map((item) => {
    const callId = item.type === "output" && !repeated.has(item.callId) ? callIds?.get(item.callId) : undefined;
    return callId === undefined ? item : { ...item, callId };
  });
  return { turn: { ...turn, previousResponseId, input }, lastNumber };
}
