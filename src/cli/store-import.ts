import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import type { ExportedRow, ImportCount, Store } from "../store/store.ts";
import { linesOf, readExportLine } from "./export-lines.ts";
import { displayPath } from "./load.ts";
import { withStore } from "./open-store.ts";
import { Progress } from "./progress.ts";
import { rowCount } from "./recent-usage.ts";
import { Refusal } from "./refusal.ts";

/** What is written at once: rows, and characters of the file. */
const mostRows = 200;
const mostCharacters = 1_024 * 1_024;

export async function importStore({ file, config }: { file: string; config?: string | undefined }) {
  const path = resolve(file);
  return withStore(config, async ({ store }) => {
    const { rows, added, leftOut } = await new Import(store, displayPath(path)).run(path);
    const existing = rows - added - leftOut;
    const report = [
      `added ${rowCount(added)}`,
      ...(existing > 0 ? [`the store had ${rowCount(existing)} already`] : []),
      ...(leftOut > 0 ? [`left out ${rowCount(leftOut)} of conversations that are missing`] : []),
    ];
    process.stdout.write(`Imported ${displayPath(path)}: ${report.join("; ")}.\n`);
    return 0;
  });
}

class Import {
  readonly #store: Store;
  readonly #name: string;
  readonly #progress = new Progress("imported");
  #batch: ExportedRow[] = [];
  #characters = 0;
  #rows = 0;
  #added = 0;
  #leftOut = 0;

  constructor(store: Store, name: string) {
    this.#store = store;
    this.#name = name;
  }

  async run(path: string): Promise<ImportCount & { rows: number }> {
    const version = (await this.#store.stats()).version;
    const input = createReadStream(path, "utf8");
    let number = 0;
    let isComplete = false;
    try {
      for await (const text of linesOf(input)) {
        number++;
        if (text.trim() === "") continue;
        isComplete = await this.#line(text, number, version);
      }
    } catch (error) {
      throw error instanceof Error && "syscall" in error
        ? new Refusal(`cannot read ${this.#name}: ${error.message}`)
        : error;
    } finally {
      input.destroy();
      this.#progress.end();
    }
    if (number === 0) throw this.#notAnExport();
    await this.#write();
    if (!isComplete)
      throw new Refusal(`${this.#name} is incomplete: its last rows are missing; added ${rowCount(this.#added)}`);
    return { rows: this.#rows, added: this.#added, leftOut: this.#leftOut };
  }

  /** Returns whether the line is the end. */
  async #line(text: string, number: number, version: number): Promise<boolean> {
    const line = readExportLine(text);
    if (number === 1) this.#checkHeader(line, version);
    else if (line?.type === "row") await this.#row(line.row, text.length);
    else if (line?.type === "end") return line.rows === this.#rows;
    else throw new Refusal(`line ${number} of ${this.#name} is no row of an export; added ${rowCount(this.#added)}`);
    return false;
  }

  #checkHeader(line: ReturnType<typeof readExportLine>, version: number): void {
    if (line?.type !== "header") throw this.#notAnExport();
    if (line.schema > version)
      throw new Refusal(
        `${this.#name} is from a newer Toolwire (schema ${line.schema}, this one has ${version}); update Toolwire first`,
      );
  }

  async #row(row: ExportedRow, characters: number): Promise<void> {
    this.#batch.push(row);
    this.#characters += characters;
    this.#progress.at(++this.#rows);
    if (this.#batch.length >= mostRows || this.#characters >= mostCharacters) await this.#write();
  }

  async #write(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#characters = 0;
    if (batch.length === 0) return;
    const { added, leftOut } = await this.#store.import(batch);
    this.#added += added;
    this.#leftOut += leftOut;
  }

  #notAnExport(): Refusal {
    return new Refusal(`${this.#name} is not what toolwire store export wrote`);
  }
}
