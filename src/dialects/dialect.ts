import type { TextRepair } from "../turn/index.ts";
import type { Block } from "./core/block.ts";

export type { TextRepair };

/** A reader of one block: it stops (`yield`) where the text that has come so far ends, and goes on where more has come. */
export type Reading<Result = void> = Generator<void, Result, void>;

/** A call as a dialect is given it to write. */
export interface WrittenCall {
  name: string;
  /** JSON text of an object. */
  arguments: string;
}

/** A language in which models write calls as text. */
export interface Dialect {
  name: string;
  /** Which models are known to use it; for people. */
  models: string;
  /**
   * What a block begins with. Where several dialects share an opener, each is tried in the order of the list of dialects until
   * one accepts what follows.
   */
  openers: readonly string[];
  /** What ends a block; after a block that turned out to be text, reading goes on behind the first of these. */
  closers: readonly string[];
  /** Has no marker of its own, so it is read only when it is named, or when it is the whole message. */
  bare?: boolean;
  /** Is no language that a model is said to speak: it has no name to choose it by, and is always on. */
  internal?: boolean;
  /** Counts only at the beginning of a line, or of the message. */
  atLineStart?: boolean;
  /** Is read only when it is named, even if it is the whole message. */
  mustBeNamed?: boolean;
  /** Counts only at the beginning of the message. */
  atStart?: boolean;
  /** Tags around what the model thinks. */
  reasoning?: readonly ReasoningTags[];
  /**
   * Tokens that mean nothing to a person: they are not shown in a message that speaks this dialect, nor beside calls, reasoning
   * and the beginning of any message.
   */
  hidden?: readonly string[];
  /** Reads one block, from behind its opener. */
  read(block: Block): Reading;
  /** Writes calls as a model of this dialect would. */
  write(calls: readonly WrittenCall[]): string;
}

export interface ReasoningTags {
  open: string;
  close: readonly string[];
}
