import type { TurnError } from "./errors.ts";
import { compactId, isPortableId } from "./ids.ts";
import type { Extensions, Item } from "./item.ts";
import type { JsonObject } from "./json.ts";

/** What a provider is known to require of a conversation history beyond what its API says. */
export interface HistoryQuirks {
  /** Whether the provider may refuse its own calls in a history without the text of the reasoning before them. */
  readonly wantsReasoning: boolean;
  /** Whether the model is known to emit reasoning text, so that it accepts reasoning text of other models. */
  takesReasoning(model: string): boolean;
  /** Whether the error says that the provider cannot decrypt the reasoning in the request. */
  refusesReasoning(error: TurnError): boolean;
  /** Whether the provider accepts this call id, which it did not assign itself. */
  takesCallId(id: string, model: string): boolean;
  /** The id itself if the provider accepts it; otherwise an id derived from it. The same id always gives the same result. */
  callIdFor(id: string, model: string): string;
  /** Whether the provider wants the unread fields of its own call back. */
  wantsExtensions(extensions: Extensions): boolean;
  /** The unread fields of a message that the provider wants back with its calls. Lists that arrive in pieces are concatenated. */
  wantedFields(extensions: Extensions): JsonObject | undefined;
  /** The wanted fields, as an assistant's message carries them; `undefined` if the items already have them. */
  missingFields(wanted: JsonObject, items: readonly Item[]): Extensions | undefined;
}

/** For a provider that accepts whatever its API allows and needs nothing back. */
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
