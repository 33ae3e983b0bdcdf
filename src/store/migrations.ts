/** One step of the schema. A step that was published never changes. */
export interface Migration {
  version: number;
  sqlite: readonly string[];
  postgres: readonly string[];
}

/**
 * Times are milliseconds since 1970. A chain of responses is a conversation without a name. A fork is a conversation whose first
 * `parent_position` messages are those of its parent, so that positions count from the beginning of the whole history. Large
 * columns are the last ones: SQLite reads a row from its beginning. Tables of small rows are WITHOUT ROWID, which saves SQLite one page
 * a row in each commit.
 */
const tables = [
  `CREATE TABLE conversations (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    name TEXT,
    parent TEXT,
    parent_position BIGINT NOT NULL,
    base_backend TEXT,
    base_response TEXT,
    length BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL
  ) WITHOUT ROWID`,
  "CREATE UNIQUE INDEX conversations_by_name ON conversations (owner, name) WHERE name IS NOT NULL",
  "CREATE INDEX conversations_by_parent ON conversations (parent, parent_position) WHERE parent IS NOT NULL",
  "CREATE INDEX conversations_by_use ON conversations (used_at, id)",
  `CREATE TABLE responses (
    owner TEXT NOT NULL,
    id TEXT NOT NULL,
    api TEXT NOT NULL,
    conversation TEXT NOT NULL,
    previous TEXT,
    start_position BIGINT NOT NULL,
    output_position BIGINT NOT NULL,
    end_position BIGINT NOT NULL,
    status TEXT NOT NULL,
    model TEXT NOT NULL,
    legacy BIGINT NOT NULL,
    repeat_digest TEXT,
    created_at BIGINT NOT NULL,
    metadata TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (owner, id)
  )`,
  "CREATE INDEX responses_by_time ON responses (owner, api, created_at, id)",
  "CREATE INDEX responses_by_position ON responses (conversation, end_position)",
  "CREATE INDEX responses_by_repeat ON responses (conversation, repeat_digest) WHERE repeat_digest IS NOT NULL",
  `CREATE TABLE messages (
    conversation TEXT NOT NULL,
    position BIGINT NOT NULL,
    role TEXT NOT NULL,
    size BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    tool_call_id TEXT,
    content TEXT,
    content_json TEXT,
    tool_calls TEXT,
    function_call TEXT,
    PRIMARY KEY (conversation, position)
  )`,
  `CREATE TABLE items (
    owner TEXT NOT NULL,
    id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    conversation TEXT NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (owner, id, created_at, conversation, position)
  ) WITHOUT ROWID`,
  "CREATE INDEX items_by_position ON items (conversation, position)",
  `CREATE TABLE contents (
    owner TEXT NOT NULL,
    digest TEXT NOT NULL,
    part BIGINT NOT NULL,
    size BIGINT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (owner, digest, part)
  )`,
  `CREATE TABLE message_contents (
    conversation TEXT NOT NULL,
    position BIGINT NOT NULL,
    digest TEXT NOT NULL,
    owner TEXT NOT NULL,
    PRIMARY KEY (conversation, position, digest)
  ) WITHOUT ROWID`,
  "CREATE INDEX message_contents_by_digest ON message_contents (owner, digest)",
  `CREATE TABLE records (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (owner, key)
  )`,
  "CREATE INDEX records_by_time ON records (expires_at)",
  `CREATE TABLE keys (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    models TEXT,
    rate_requests BIGINT,
    rate_per BIGINT,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
  )`,
  "CREATE UNIQUE INDEX keys_by_name ON keys (name) WHERE revoked_at IS NULL",
  `CREATE TABLE usage (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    model TEXT NOT NULL,
    day TEXT NOT NULL,
    requests BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    PRIMARY KEY (owner, key, model, day)
  )`,
  "CREATE TABLE probes (id BIGINT NOT NULL PRIMARY KEY, at BIGINT NOT NULL)",
];

/** Texts are compared by their bytes, as SQLite does: lists have the same order on both databases. Postgres has no such row ids. */
function forPostgres(sql: string): string {
  return sql.replaceAll(" TEXT", ' TEXT COLLATE "C"').replace(/ WITHOUT ROWID$/, "");
}

export const migrations: readonly Migration[] = [{ version: 1, sqlite: tables, postgres: tables.map(forPostgres) }];

export const latestVersion = 1;
