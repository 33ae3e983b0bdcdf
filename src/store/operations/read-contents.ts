import type { ContentRow } from "../contents.ts";
import type { Operation, Row } from "../operation.ts";
import { each, numberOf, sql, textOf } from "./statements.ts";

/** Characters that one statement reads, about, and the pieces that may have as many. */
const charactersAtOnce = 2 * 1024 * 1024;
const piecesAtOnce = 8;

const owner = "(SELECT owner FROM conversations WHERE id = ?)";

/** Reads the large strings with the digests, which belong to the owner of a conversation. No statement takes long. */
export function* readContents(to: ContentRow[], conversation: string, digests: readonly string[]): Operation<void> {
  const sizes = yield* each(
    digests,
    (list) => `SELECT digest, COUNT(*) AS parts, CAST(SUM(size) AS BIGINT) AS size FROM contents
      WHERE owner = ${owner} AND digest IN ${list} GROUP BY digest`,
    [conversation],
  );
  let together: string[] = [];
  let characters = 0;
  for (const row of sizes) {
    const digest = textOf(row, "digest");
    const size = numberOf(row, "size");
    if (size > charactersAtOnce) {
      yield* readPieces(to, conversation, digest, numberOf(row, "parts"));
      continue;
    }
    if (characters + size > charactersAtOnce) {
      yield* readTogether(to, conversation, together);
      together = [];
      characters = 0;
    }
    together.push(digest);
    characters += size;
  }
  yield* readTogether(to, conversation, together);
}

function* readPieces(to: ContentRow[], conversation: string, digest: string, parts: number): Operation<void> {
  for (let from = 0; from < parts; from += piecesAtOnce) {
    const rows = yield* sql(
      `SELECT digest, part, data FROM contents WHERE owner = ${owner} AND digest = ? AND part >= ? AND part < ?
        ORDER BY part`,
      [conversation, digest, from, from + piecesAtOnce],
    );
    addRows(to, rows);
  }
}

function* readTogether(to: ContentRow[], conversation: string, digests: readonly string[]): Operation<void> {
  const rows = yield* each(
    digests,
    (list) => `SELECT digest, part, data FROM contents WHERE owner = ${owner} AND digest IN ${list}
      ORDER BY digest, part`,
    [conversation],
  );
  addRows(to, rows);
}

function addRows(to: ContentRow[], rows: readonly Row[]): void {
  for (const row of rows)
    to.push({ digest: textOf(row, "digest"), part: numberOf(row, "part"), data: textOf(row, "data") });
}
