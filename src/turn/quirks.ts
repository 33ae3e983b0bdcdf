import type { TurnError } from "./errors.ts";
import { compactId, isPortableId } from "./ids.ts";
import type { Extensions, Item } from "./item.ts";
import type { JsonObject } from "./json.ts";

/** What a service is known to want of a conversation that comes back to it, beside what its API says. */
export interface HistoryQuirks {
  /** Whether the service may refuse calls of its own that come back without the text of the reasoning before them. */
  readonly wantsReasoning: boolean;
  /** Whether the model is known to think aloud, so that it takes reasoning that others have written. */
  takesReasoning(model: string): boolean;
  /** Whether the error says that the service cannot decrypt reasoning that it was given. */
  refusesReasoning(error: TurnError): boolean;
  /** Whether the service takes this id of a call that it did not name itself. */
  takesCallId(id: string, model: string): boolean;
  /** The id itself where the service takes it, otherwise one made out of it; always the same for the same id. */
  callIdFor(id: string, model: string): string;
  /** Whether the service wants back what stood unread in a call of its own. */
  wantsExtensions(extensions: Extensions): boolean;
  /** What of a message's unread fields the service wants back beside its calls. Lists that come in pieces are put together. */
  wantedFields(extensions: Extensions): JsonObject | undefined;
  /** The wanted fields, as an assistant's message carries them; nothing where the items have them already. */
  missingFields(wanted: JsonObject, items: readonly Item[]): Extensions | undefined;
}

/** Of a service that takes whatever its API allows, and misses nothing. */
export const noQuirks: HistoryQuirks = {
  wantsReasoning: false,
  takesReasoning: () => false,
  refusesReasoning: () => false,
  takesCallId: isPortableId,
  callIdFor: (id) => (isPortableId(id) ? id : compactId(id)),
  wantsExtensions: () => false,
  wantedFields: () => undefined,
  missingFields: () => undefined,
};
