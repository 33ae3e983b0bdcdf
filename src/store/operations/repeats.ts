import type { RepeatMark } from "../../turn/index.ts";
import type { Operation } from "../operation.ts";
import { numberOf, sql, textOf, textOrNull } from "./statements.ts";

/** The last response of a conversation, and whether a request with the mark repeats it. */
export interface LastResponse {
  id: string;
  start: number;
  isCompleted: boolean;
  /** When it was requested, in milliseconds since 1970. */
  createdAt: number;
  isRepeated: boolean;
}

export function* lastResponse(
  owner: string,
  conversation: string,
  repeat: RepeatMark,
  at: number,
): Operation<LastResponse | undefined> {
  const [row] = yield* sql(
    `SELECT id, start_position, repeat_digest, status, created_at FROM responses WHERE conversation = ? AND owner = ?
      ORDER BY end_position DESC LIMIT 1`,
    [conversation, owner],
  );
  if (!row) return undefined;
  // A client whose turn broke off may take its time before it tries again.
  const isCompleted = textOf(row, "status") === "completed";
  const createdAt = numberOf(row, "created_at");
  // Clocks of gateways may differ, and a first attempt may end after its retry.
  const isInTime = repeat.within === null || !isCompleted || Math.abs(at - createdAt) <= repeat.within;
  const isRepeated = textOrNull(row, "repeat_digest") === repeat.digest && isInTime;
  return { id: textOf(row, "id"), start: numberOf(row, "start_position"), isCompleted, createdAt, isRepeated };
}

/** Whether any response of a conversation has the mark. */
export function* hasRepeated(owner: string, conversation: string, repeat: RepeatMark): Operation<boolean> {
  const rows = yield* sql(
    "SELECT 1 AS found FROM responses WHERE conversation = ? AND repeat_digest = ? AND owner = ? LIMIT 1",
    [conversation, repeat.digest, owner],
  );
  return rows.length > 0;
}
