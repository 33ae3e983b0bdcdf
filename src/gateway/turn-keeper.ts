import type { TurnEnd, TurnSeams } from "../engine/index.ts";
import { type Store, StoreError, type StoreFailure } from "../store/index.ts";
import {
  type AnswerView,
  type Item,
  inTime,
  type JsonObject,
  type KeptStatus,
  type TurnEnding,
  type TurnListener,
} from "../turn/index.ts";
import { type ClientRequest, checkStoredMetadata } from "../wire/index.ts";
import type { ResolvedState } from "./resolve-state.ts";
import { storeUnavailable } from "./state-errors.ts";

/** What is stored of a turn besides its answer. */
export interface KeptRequest {
  owner: string;
  api: string;
  /** The public name of the model. */
  model: string;
  /** In milliseconds since 1970. */
  createdAt: number;
  state: Omit<ResolvedState, "turn">;
  metadata: JsonObject | undefined;
  legacy: boolean | undefined;
}

/** How long the end of a turn waits for its commit, in milliseconds: less than the driver waits. */
const longestCommit = 1_900;

/**
 * Stores a turn before its client sees the end. If the store fails, the turn ends without being stored, or fails if the
 * configuration says `store.required`.
 */
export class TurnKeeper implements TurnSeams {
  readonly #store: Store;
  readonly #request: KeptRequest;
  readonly #isRequired: boolean;
  readonly #listener: TurnListener;
  /** skipped: another request has repeated the turn, or what it continues was deleted meanwhile. */
  #outcome: "pending" | "kept" | "skipped" | "failed" = "pending";

  constructor(store: Store, request: KeptRequest, isRequired: boolean, listener: TurnListener) {
    this.#store = store;
    this.#request = request;
    this.#isRequired = isRequired;
    this.#listener = listener;
  }

  /** Whether the turn is stored. Before its end: whether it is going to be, as far as is known. */
  get isKept(): boolean {
    return this.#outcome === "kept" || (this.#outcome === "pending" && this.#store.trouble === null);
  }

  get headers(): Record<string, string> {
    return this.isKept || this.#outcome === "skipped" ? {} : { "x-toolwire-store": "failed" };
  }

  async beforeEnd(end: TurnEnd): Promise<void> {
    const status = statusOf(end);
    const answer = status && end.describe();
    if (!status || !answer) return;
    const { owner, api, model, createdAt, state, metadata, legacy } = this.#request;
    const { added: input, previous, conversation, restarts, base, repeat } = state;
    const output = outputOf(end.answer, end.ending);
    const turn = { owner, api, model, createdAt, status, ...answer, input, output, metadata, legacy };
    const startedAt = performance.now();
    try {
      const keeping = this.#store.keep({ ...turn, previous, conversation, restarts, base, repeat });
      const isStored = await inTime(keeping, longestCommit, tooSlow);
      this.#outcome = isStored ? "kept" : "skipped";
      this.#listener.turnStored?.(performance.now() - startedAt);
    } catch (error) {
      this.#outcome = "failed";
      this.#listener.storeFailed?.(failureOf(error));
      if (this.#isRequired && status !== "failed") throw storeUnavailable(error);
    }
  }
}

/**
 * The keeper of a turn, if it is to be stored. Rejects if it must be stored and the store cannot be used, so that the model is not
 * asked in vain.
 */
export async function keeperFor(
  store: Store,
  isRequired: boolean,
  { keeps, legacy, continues, turn: asked }: ClientRequest,
  { listener, ...turn }: Omit<KeptRequest, "metadata" | "legacy"> & { listener: TurnListener },
): Promise<TurnKeeper | undefined> {
  // Only the provider has the context of a conversation that it stores.
  const isElsewhere = continues?.param === "conversation";
  if (isElsewhere || !(keeps ?? turn.state.conversation !== undefined)) return undefined;
  if (isRequired) {
    await store.ready().catch((error: unknown) => {
      listener.storeFailed?.(failureOf(error));
      throw storeUnavailable(error);
    });
  }
  const { metadata } = asked.settings;
  if (!keeps) checkStoredMetadata(metadata);
  return new TurnKeeper(store, { ...turn, metadata, legacy }, isRequired, listener);
}

/** Lets two parts take part in a turn. Only one of them may run rounds and own calls. */
export function joinSeams(keeper: TurnKeeper | undefined, others: TurnSeams | undefined): TurnSeams | undefined {
  if (!keeper || !others) return keeper ?? others;
  return {
    ...(others.ownerOf && { ownerOf: others.ownerOf.bind(others) }),
    ...(others.nextRound && { nextRound: others.nextRound.bind(others) }),
    ...(others.beforeEndLimit !== undefined && { beforeEndLimit: others.beforeEndLimit }),
    beforeEnd: async (end) => {
      const ofOthers = async () => others.beforeEnd?.(end);
      await Promise.all([keeper.beforeEnd(end), ofOthers()]);
    },
  };
}

/** A turn that failed before its client knew of an answer is not stored: the client got an error, and may send it again. */
function statusOf({ ending, id }: TurnEnd): KeptStatus | undefined {
  if (ending.type === "turn.finished") return ending.reason === "stop" ? "completed" : "incomplete";
  if (ending.error.code === "client_closed") return "incomplete";
  return id === undefined ? undefined : "failed";
}

/** The completed items and, if the client left, the text that it has of the next one. */
function outputOf({ items, current }: AnswerView, ending: TurnEnding): Item[] {
  const output = items.slice();
  const hasLeft = ending.type === "turn.failed" && ending.error.code === "client_closed";
  const isOpen = hasLeft && current !== undefined && current !== items.at(-1);
  if (isOpen && current.type === "message" && current.content.length > 0)
    output.push({ ...current, isIncomplete: true });
  return output;
}

function failureOf(error: unknown): StoreFailure {
  return error instanceof StoreError ? error.failure : "broken";
}

function tooSlow(): StoreError {
  return new StoreError("slow", `The store did not commit within ${longestCommit} ms.`);
}
