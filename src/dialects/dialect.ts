import type { TextRepair } from "../turn/index.ts";
import type { Block } from "./core/block.ts";

export type { TextRepair };

/** Reads one block. It yields when the buffered text ends, and resumes when more has arrived. */
export type Reading<Result = void> = Generator<void, Result, void>;

/** A call that a dialect writes as text. */
export interface WrittenCall {
  name: string;
  /** JSON text of an object. */
  arguments: string;
}

/** A format in which models write calls as text. */
export interface Dialect {
  name: string;
  /** Models that are known to use it; for documentation. */
  models: string;
  /**
   * What a block begins with. Dialects that share an opener are tried in the order of the list of dialects until one accepts what
   * follows.
   */
  openers: readonly string[];
  /** What ends a block. After a block that turned out to be text, parsing continues after the first of these. */
  closers: readonly string[];
  /** Has no marker of its own: read only if it is named, or if it is the whole message. */
  bare?: boolean;
  /** Cannot be selected by name, and is always on. */
  internal?: boolean;
  /** Counts only at the beginning of a line, or of the message. */
  atLineStart?: boolean;
  /** Read only if it is named, even if it is the whole message. */
  mustBeNamed?: boolean;
  /** Counts only at the beginning of the message. */
  atStart?: boolean;
  /** Tags around reasoning. */
  reasoning?: readonly ReasoningTags[];
  /**
   * Tokens that are not shown in a message that uses this dialect, nor next to calls and reasoning or at the start of any
   * message.
   */
  hidden?: readonly string[];
  /** Reads one block, starting after its opener. */
  read(block: Block): Reading;
  /** Writes calls as a model of this dialect would. */
  write(calls: readonly WrittenCall[]): string;
}

export interface ReasoningTags {
  open: string;
  close: readonly string[];
}
