/**
 * Limits on one round of a model's answer; docs/limits.md has the same numbers. They are far above what any model means, and equal
 * what a client may send back (`src/wire/bounds.ts`): beyond them a model repeats itself, or a provider is broken.
 */
export const answerBounds = {
  calls: 10_000,
  /** Messages, reasoning items, calls and all other items. */
  items: 100_000,
  /** Items that may wait for the end of another item. They are emitted at once. */
  waiting: 1_000,
  /** Characters of a tool's name or namespace. */
  name: 1_024,
  /** Characters of a provider's id of a call, a reasoning item or a response. */
  id: 65_536,
} as const;
