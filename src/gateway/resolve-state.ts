import { createHash } from "node:crypto";
import {
  type Context,
  type Holding,
  type Item,
  isAnswerId,
  paced,
  type RepeatMark,
  type StateStore,
  type Turn,
  type UpstreamBase,
} from "../turn/index.ts";
import type { ClientRequest, Codec } from "../wire/index.ts";
import { answerLegacyCalls, digestOfRequest, joinConversation } from "./conversation.ts";
import { ItemTexts } from "./item-texts.ts";
import type { Route } from "./models.ts";
import {
  begunElsewhere,
  continuedTwice,
  keptElsewhere,
  storeUnavailable,
  tooLong,
  unknownItem,
  unknownResponse,
} from "./state-errors.ts";

/** A request, and what it refers to. */
export interface StateRequest {
  request: ClientRequest;
  codec: Codec;
  route: Route;
  owner: string;
  /** The client's name of the conversation. */
  conversation: string | undefined;
  idempotencyKey: string | undefined;
  /** When the request came in, in milliseconds since 1970. */
  createdAt: number;
  /** The most characters of a stored conversation. */
  limit: number;
  holding: Holding | undefined;
}

/** A turn with everything that its request refers to, and where it belongs in the store. */
export interface ResolvedState {
  turn: Turn;
  /** What the request adds to the stored conversation. */
  added: Item[];
  previous?: string | undefined;
  conversation?: string | undefined;
  /** Whether the conversation begins anew with this turn. */
  restarts?: boolean | undefined;
  base?: UpstreamBase | undefined;
  repeat?: RepeatMark | undefined;
}

/** A completed turn that is asked for again within this time, in milliseconds, is a retry of its client. */
const repeatedWithin = 10_000;

/** Puts the stored context in front of what the request brings. Rejects with a `TurnError` if the request refers to nothing. */
export async function resolveState(store: StateStore, asked: StateRequest): Promise<ResolvedState> {
  const { request, conversation } = asked;
  const { turn, continues, references, unmatched = [] } = request;
  const isState = continues !== undefined && continues.param !== "prompt";
  if (isState && conversation !== undefined) throw continuedTwice(continues);
  const texts = new ItemTexts();
  const repeat = await repeatMark(asked, texts);
  if (conversation === undefined) answerLegacyCalls([], unmatched);
  if (!continues && references.length === 0 && conversation === undefined) return { turn, added: turn.input, repeat };
  const own = continues?.responseId !== undefined && isAnswerId(asked.codec.answerId, continues.responseId);
  const previous = own ? continues.responseId : undefined;
  if (continues && !own && !asked.route.backend.capabilities.keepsResponses) throw keptElsewhere(continues);
  const context = await readContext(store, asked, { previous, repeat });
  const isAtProvider = (isState && !own) || context.base !== undefined;
  const brought = withReferences(turn, context, isAtProvider);
  if (conversation !== undefined) {
    answerLegacyCalls(context.history ?? [], unmatched);
    const { input, ...joined } = await paced(joinConversation(context.history ?? [], brought, texts));
    return { turn: { ...turn, input }, ...joined, conversation, repeat };
  }
  if (!continues) return { turn: { ...turn, input: brought }, added: brought, repeat };
  if (previous === undefined) {
    const base = continues.responseId === undefined ? undefined : baseOf(asked.route, continues.responseId);
    return { turn: { ...turn, input: brought }, added: brought, base };
  }
  if (!context.history) throw unknownResponse(previous);
  const { base } = context;
  if (base && base.backend !== asked.route.backend.name) throw begunElsewhere(continues, base);
  const input = [...context.history, ...brought];
  return { turn: { ...turn, input, previousResponseId: base?.responseId }, added: brought, previous };
}

function baseOf({ backend }: Route, responseId: string): UpstreamBase {
  return { backend: backend.name, responseId };
}

async function readContext(
  store: StateStore,
  { request, owner, conversation, createdAt: at, limit, holding }: StateRequest,
  { previous, repeat }: { previous: string | undefined; repeat: RepeatMark | undefined },
): Promise<Context> {
  const name = previous === undefined ? conversation : undefined;
  if (previous === undefined && name === undefined && request.references.length === 0) return nothing;
  const query = {
    previous,
    conversation: name,
    repeat: name === undefined ? undefined : repeat,
    at,
    items: request.references,
    limit,
  };
  const context = await store.context(owner, query).catch((error: unknown) => {
    throw storeUnavailable(error);
  });
  const param = previous === undefined ? (request.turn.inputParam ?? "input") : "previous_response_id";
  if (context.isTooLarge) throw tooLong(context.size, limit, param);
  holding?.add(context.size);
  return context;
}

const nothing: Context = { history: undefined, items: new Map(), inHistory: new Set(), size: 0, isTooLarge: false };

/**
 * The input with the referenced items. An item that the history has is not repeated. Only a request that continues state at its
 * provider may refer to an item that is not stored here.
 */
function withReferences({ input }: Turn, { items, inHistory }: Context, isAtProvider: boolean): Item[] {
  return input.flatMap((item, at): Item[] => {
    const id = referenceOf(item);
    if (id === undefined) return [item];
    if (inHistory.has(id)) return [];
    const found = items.get(id);
    if (found) return [found];
    if (isAtProvider) return [item];
    throw unknownItem(id, `input[${at}]`);
  });
}

function referenceOf(item: Item): string | undefined {
  if (item.type !== "opaque" || item.fields.type !== "item_reference") return undefined;
  return typeof item.fields.id === "string" ? item.fields.id : "";
}

/** Clients that retry send the same idempotency key, or the same words a moment later. */
async function repeatMark(
  { request, conversation, idempotencyKey, codec }: StateRequest,
  texts: ItemTexts,
): Promise<RepeatMark | undefined> {
  // Clients of this API continue an answer by its id, so a retry is just another answer, except in a conversation with a name.
  if (codec.namesAnswers && conversation === undefined) return undefined;
  if (idempotencyKey !== undefined) {
    const digest = createHash("sha256").update(`key:${idempotencyKey}`).digest("base64url");
    return { digest, within: null };
  }
  if (conversation === undefined) return undefined;
  return { digest: await paced(digestOfRequest(request.turn.input, texts)), within: repeatedWithin };
}
