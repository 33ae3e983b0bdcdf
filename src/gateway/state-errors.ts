import { StoreError, type StoreFailure, sentences } from "../store/index.ts";
import { TurnError, type UpstreamBase } from "../turn/index.ts";
import type { ContinuedState } from "../wire/index.ts";

/** For clients and for `/ready`. Only the log says where the database is. */
export function storeTrouble(failure: StoreFailure | undefined): string {
  const reason = failure === undefined ? "" : `: its database ${sentences[failure]}`;
  return `Toolwire's store cannot be used at present${reason}.`;
}

/** The error of a request that needs the store while the store cannot be used. */
export function storeUnavailable(cause: unknown): TurnError {
  const trouble = storeTrouble(cause instanceof StoreError ? cause.failure : undefined);
  return new TurnError("store_unavailable", `${trouble} Try again soon.`, { retryAfter: "1", cause });
}

/** A request can continue one thing. */
export function continuedTwice({ param }: ContinuedState): TurnError {
  return new TurnError(
    "invalid_request",
    `\`${param}\` cannot be combined with the header x-toolwire-conversation. Send one of them.`,
    { param },
  );
}

/** One of our ids that the client's key does not own, or that was deleted or has expired. */
export function unknownResponse(id: string): TurnError {
  return new TurnError(
    "previous_response_not_found",
    `Previous response with id '${id.slice(0, 200)}' not found. It may have been deleted, have expired, or not have been stored. Send the whole conversation in \`input\`.`,
    { param: "previous_response_id" },
  );
}

export function unknownItem(id: string, param: string): TurnError {
  return new TurnError("item_not_found", `Item with id '${id.slice(0, 200)}' not found. Send the item itself.`, {
    param,
  });
}

/** Only the provider has the beginning of the conversation. */
export function begunElsewhere({ param }: ContinuedState, { backend }: UpstreamBase): TurnError {
  return new TurnError(
    "previous_response_not_found",
    `The conversation began at the provider of the backend "${backend}", and only a model of that backend can continue it. Send the whole conversation in \`input\`.`,
    { param },
  );
}

/** The error for a backend that cannot continue what only a provider has. */
export function keptElsewhere({ param, responseId }: ContinuedState): TurnError {
  if (param === "conversation")
    return new TurnError("not_found", "There is no such conversation here. Send the whole conversation in `input`.", {
      param,
    });
  if (responseId === undefined) {
    return new TurnError(
      "previous_response_not_found",
      `\`${param}\` works only with a provider that stores it. Leave it out.`,
      {
        param,
      },
    );
  }
  return new TurnError(
    "previous_response_not_found",
    `Toolwire has no response '${responseId.slice(0, 200)}', and this model's backend cannot look it up. Send the whole conversation in \`input\`.`,
    { param },
  );
}

export function tooLong(size: number, limit: number, param: string): TurnError {
  return new TurnError(
    "context_too_large",
    `The stored conversation has ${size} characters; a turn may have ${limit} (limits.body). Begin a new conversation.`,
    { param },
  );
}
