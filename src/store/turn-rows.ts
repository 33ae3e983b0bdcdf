import { createHash } from "node:crypto";
import { type Item, type KeptTurn, newId, type Steps } from "../turn/index.ts";
import { ContentCollector } from "./contents.ts";
import { messageRows } from "./message-writer.ts";
import type { TurnRows } from "./operations/stored-turn.ts";
import { indexKey, storedText } from "./storable.ts";
import { storedJson } from "./stored-json.ts";

/** A turn as the rows that are stored of it. */
export function* turnRows(turn: KeptTurn): Steps<TurnRows> {
  const owner = indexKey(turn.owner);
  const contents = new ContentCollector();
  const rowsOf = (items: readonly Item[], isAnswer: boolean) =>
    messageRows(items, { isAnswer, isLegacy: turn.legacy ?? false, contents });
  const input = yield* rowsOf(turn.input, false);
  const output = yield* rowsOf(turn.output, true);
  const once = onceName(turn);
  return {
    owner,
    id: indexKey(turn.id),
    api: turn.api,
    model: storedText(turn.model),
    status: turn.status,
    createdAt: turn.createdAt,
    body: turn.body,
    metadata: yield* storedJson(turn.metadata ?? {}),
    legacy: turn.legacy ?? false,
    previous: turn.previous === undefined ? null : indexKey(turn.previous),
    name: turn.conversation === undefined ? null : indexKey(turn.conversation),
    restarts: turn.restarts ?? false,
    newConversation: once ?? newId("conv"),
    replaces: once !== undefined,
    base: turn.base ? { ...turn.base, responseId: storedText(turn.base.responseId) } : null,
    repeat: turn.repeat ? { ...turn.repeat, digest: indexKey(turn.repeat.digest) } : null,
    input,
    output,
    // All turns lock contents in the same order, so that two of them never wait for each other.
    contents: contents.rows.sort((a, b) => (a.digest < b.digest ? -1 : a.digest > b.digest ? 1 : a.part - b.part)),
  };
}

/** A single turn that is marked for repetitions has a conversation of its own, under an id that a repetition finds. */
function onceName({ owner, api, conversation, previous, repeat }: KeptTurn): string | undefined {
  if (conversation !== undefined || previous !== undefined || repeat?.within !== null) return undefined;
  const digest = createHash("sha256")
    .update(JSON.stringify([owner, api, repeat.digest]))
    .digest("hex");
  return `once_${digest}`;
}
