import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Store } from "../store/store.ts";
import { endLine, headerLine, rowLine } from "./export-lines.ts";
import { displayPath } from "./load.ts";
import { refuseAbsent, withStore } from "./open-store.ts";
import { Progress } from "./progress.ts";
import { rowCount } from "./recent-usage.ts";
import { Refusal } from "./refusal.ts";
import { writeWholeFile } from "./whole-file.ts";

/** Characters that are written at once. */
const chunkSize = 64 * 1_024;

interface ExportCount {
  rows: number;
}

export async function exportStore({
  output,
  config: file,
}: {
  output?: string | undefined;
  config?: string | undefined;
}) {
  return withStore(
    file,
    async ({ store }) => {
      const count: ExportCount = { rows: 0 };
      const text = Readable.from(exportText(store, count), { objectMode: false });
      if (output === undefined) await toStandardOutput(text);
      else await toFile(text, resolve(output));
      const place = output === undefined ? "" : ` to ${displayPath(resolve(output))}`;
      process.stderr.write(`Exported ${rowCount(count.rows)}${place}. Prompts and answers are in it as plain text.\n`);
      return 0;
    },
    refuseAbsent,
  );
}

async function* exportText(store: Store, count: ExportCount): AsyncGenerator<string> {
  const progress = new Progress("exported");
  try {
    let chunk = headerLine((await store.stats()).version);
    for await (const row of store.export()) {
      chunk += rowLine(row);
      progress.at(++count.rows);
      if (chunk.length < chunkSize) continue;
      yield chunk;
      chunk = "";
    }
    yield chunk + endLine(count.rows);
  } finally {
    progress.end();
  }
}

async function toStandardOutput(text: Readable): Promise<void> {
  try {
    await pipeline(text, process.stdout, { end: false });
  } catch (error) {
    throw codeOf(error) === "EPIPE" ? new Refusal("the reader of the export has closed it before its end") : error;
  }
}

async function toFile(text: Readable, path: string): Promise<void> {
  try {
    await writeWholeFile(text, path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw new Refusal(`cannot write ${displayPath(path)}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
