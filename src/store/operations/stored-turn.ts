import type { RepeatMark, UpstreamBase } from "../../turn/index.ts";
import type { ContentRow } from "../contents.ts";
import type { MessageRow } from "../messages.ts";

/** A turn as rows. Texts to find it by are index keys. */
export interface TurnRows {
  owner: string;
  id: string;
  api: string;
  model: string;
  status: string;
  createdAt: number;
  body: string;
  metadata: string;
  legacy: boolean;
  previous: string | null;
  /** The client's name of the conversation. */
  name: string | null;
  /** Whether the named conversation begins anew with this turn. */
  restarts: boolean;
  /** The id of the conversation, if the turn begins one. */
  newConversation: string;
  /** Whether a conversation with this id may exist already: it has one turn, which this one then replaces. */
  replaces: boolean;
  base: UpstreamBase | null;
  repeat: RepeatMark | null;
  input: readonly MessageRow[];
  output: readonly MessageRow[];
  contents: readonly ContentRow[];
}

/** In messages. */
export function lengthOf({ input, output }: TurnRows): number {
  return input.length + output.length;
}
