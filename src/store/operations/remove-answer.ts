import type { OperationDefinition } from "../operation.ts";
import type { AnswerName } from "./read-answer.ts";
import { deleteResponse, lockConversation, releaseConversation } from "./release.ts";
import { sql, textOf } from "./statements.ts";

/** Returns whether there was such a response. */
export const removeAnswer: OperationDefinition<AnswerName, boolean> = {
  writes: true,
  *run({ owner, api, id }) {
    const find = () =>
      sql("SELECT conversation FROM responses WHERE owner = ? AND id = ? AND api = ?", [owner, id, api]);
    const [row] = yield* find();
    if (!row) return false;
    const conversation = yield* lockConversation(owner, textOf(row, "conversation"));
    // Another gateway may have deleted the response before the lock.
    if ((yield* find()).length === 0) return false;
    yield* deleteResponse(owner, id);
    if (conversation) yield* releaseConversation(owner, conversation);
    return true;
  },
};
