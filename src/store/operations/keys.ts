import { parseJson } from "../../turn/index.ts";
import type { OperationDefinition, Row } from "../operation.ts";
import type { StoredKey } from "../store.ts";
import { insertInto, numberOf, numberOrNull, sql, textOf, textOrNull } from "./statements.ts";
import { tables } from "./tables.ts";

const insert = insertInto("keys", "ON CONFLICT DO NOTHING RETURNING id");

/** All keys, in the order of their creation. */
export const keys: OperationDefinition<null, StoredKey[]> = {
  writes: false,
  *run() {
    return (yield* sql(`SELECT ${tables.keys.columns.join(", ")} FROM keys ORDER BY created_at, id`)).map(keyOf);
  },
};

function keyOf(row: Row): StoredKey {
  const requests = numberOrNull(row, "rate_requests");
  const per = numberOrNull(row, "rate_per");
  return {
    id: textOf(row, "id"),
    name: textOf(row, "name"),
    hash: textOf(row, "hash"),
    models: modelsOf(textOrNull(row, "models")),
    rate: requests === null || per === null ? null : { requests, per },
    expiresAt: numberOrNull(row, "expires_at"),
    createdAt: numberOf(row, "created_at"),
    revokedAt: numberOrNull(row, "revoked_at"),
  };
}

/** A list that cannot be read allows nothing. */
function modelsOf(text: string | null): string[] | null {
  if (text === null) return null;
  const models = parseJson(text);
  return Array.isArray(models) ? models.filter((model) => typeof model === "string") : [];
}

/** Returns false if a key of this name exists and is not revoked. */
export const addKey: OperationDefinition<StoredKey, boolean> = {
  writes: true,
  *run({ id, name, hash, models, rate, expiresAt, createdAt, revokedAt }) {
    const listed = models && JSON.stringify(models);
    const row = [id, name, hash, listed, rate?.requests ?? null, rate?.per ?? null, expiresAt, createdAt, revokedAt];
    return (yield* insert([row])).length > 0;
  },
};

/** Returns false if there is no such key, or it is revoked already. */
export const revokeKey: OperationDefinition<{ name: string; at: number }, boolean> = {
  writes: true,
  *run({ name, at }) {
    const text = "UPDATE keys SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL RETURNING id";
    return (yield* sql(text, [at, name])).length > 0;
  },
};
