import type { Operation, OperationDefinition, Row } from "../operation.ts";
import { type ReadMessages, readMessages } from "./history.ts";
import { numberOf, sql, textOf } from "./statements.ts";

/** Names a response. */
export interface AnswerName {
  owner: string;
  api: string;
  id: string;
}

/** A response without its messages. */
export interface ResponseRow {
  id: string;
  conversation: string;
  outputPosition: number;
  endPosition: number;
  status: string;
  model: string;
  legacy: boolean;
  createdAt: number;
  metadata: string;
  body: string;
}

export interface ReadAnswer {
  response: ResponseRow;
  output: ReadMessages;
  /** In characters. */
  size: number;
}

export const responseColumns =
  "id, conversation, output_position, end_position, status, model, legacy, created_at, metadata, body";

export function responseOf(row: Row): ResponseRow {
  return {
    id: textOf(row, "id"),
    conversation: textOf(row, "conversation"),
    outputPosition: numberOf(row, "output_position"),
    endPosition: numberOf(row, "end_position"),
    status: textOf(row, "status"),
    model: textOf(row, "model"),
    legacy: numberOf(row, "legacy") === 1,
    createdAt: numberOf(row, "created_at"),
    metadata: textOf(row, "metadata"),
    body: textOf(row, "body"),
  };
}

export function* withOutput(response: ResponseRow): Operation<ReadAnswer> {
  const { conversation, outputPosition, endPosition } = response;
  const output: ReadMessages = { messages: [], contents: [] };
  yield* readMessages(output, conversation, outputPosition, endPosition);
  return { response, output, size: response.body.length + response.metadata.length + sizeOf(output) };
}

function sizeOf({ messages, contents }: ReadMessages): number {
  let size = 0;
  for (const { content, contentJson, toolCalls, functionCall } of messages)
    for (const text of [content, contentJson, toolCalls, functionCall]) size += text?.length ?? 0;
  for (const { data } of contents) size += data.length;
  return size;
}

export const readAnswer: OperationDefinition<AnswerName, ReadAnswer | null> = {
  writes: false,
  *run({ owner, api, id }) {
    const text = `SELECT ${responseColumns} FROM responses WHERE owner = ? AND id = ? AND api = ?`;
    const [row] = yield* sql(text, [owner, id, api]);
    return row ? yield* withOutput(responseOf(row)) : null;
  },
};

export const setMetadata: OperationDefinition<AnswerName & { metadata: string }, ReadAnswer | null> = {
  writes: true,
  *run({ owner, api, id, metadata }) {
    const text = `UPDATE responses SET metadata = ? WHERE owner = ? AND id = ? AND api = ? RETURNING ${responseColumns}`;
    const [row] = yield* sql(text, [metadata, owner, id, api]);
    return row ? yield* withOutput(responseOf(row)) : null;
  },
};
