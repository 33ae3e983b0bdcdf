/** How a store fails, by the word that events and metrics use for it. */
const sentences: Readonly<Record<string, string>> = {
  lost: "the store cannot be reached",
  slow: "the store did not answer in time",
  full: "the store has no space left",
  locked: "the store is locked by another process",
  refused: "the store denied access",
  broken: "the store is damaged or incomplete",
};

/** The beginning of a log line. */
export function storeFailure(reason: string): string {
  return Object.hasOwn(sentences, reason) ? (sentences[reason] ?? "") : "the store failed";
}

/** A label must not have any number of values. */
export function storeFailureLabel(reason: string): string {
  return Object.hasOwn(sentences, reason) ? reason : "other";
}
