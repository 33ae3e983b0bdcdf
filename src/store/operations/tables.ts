/** A table for moving its rows. */
export interface Table {
  columns: readonly string[];
  /** The columns of its primary key. */
  key: readonly string[];
  /** Rows that are read at once. */
  page: number;
}

/** Every table that is moved from one database to another, in an order in which rows can be added. */
export const tables = {
  keys: table(
    ["id"],
    ["name", "hash", "models", "rate_requests", "rate_per", "expires_at", "created_at", "revoked_at"],
  ),
  usage: table(["owner", "key", "model", "day"], ["requests", "input_tokens", "cached_tokens", "output_tokens"]),
  conversations: table(
    ["id"],
    ["owner", "name", "parent", "parent_position", "base_backend", "base_response", "length", "created_at", "used_at"],
  ),
  contents: table(["owner", "digest", "part"], ["size", "data"], 8),
  messages: table(
    ["conversation", "position"],
    ["role", "size", "created_at", "tool_call_id", "content", "content_json", "tool_calls", "function_call"],
    32,
  ),
  message_contents: table(["conversation", "position", "digest"], ["owner"]),
  items: table(["owner", "id", "created_at", "conversation", "position"], []),
  responses: table(
    ["owner", "id"],
    [
      "api",
      "conversation",
      "previous",
      "start_position",
      "output_position",
      "end_position",
      "status",
      "model",
      "legacy",
      "repeat_digest",
      "created_at",
      "metadata",
      "body",
    ],
    32,
  ),
  records: table(["owner", "key"], ["expires_at", "value"], 32),
} satisfies Record<string, Table>;

export type TableName = keyof typeof tables;

/** In the order of `tables`. */
export const tableNames: readonly TableName[] = Object.keys(tables).filter(isTableName);

export function isTableName(name: string): name is TableName {
  return Object.hasOwn(tables, name);
}

function table(key: string[], others: string[], page = 256): Table {
  return { columns: [...key, ...others], key, page };
}
