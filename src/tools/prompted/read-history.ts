import type { CallItem, Item, MessageItem, OutputItem, Part, TextPart } from "../../turn/index.ts";
import { joinOutput } from "./attachments.ts";
import { isPlain } from "./content.ts";
import { rearm, withWords } from "./own-words.ts";
import { readCallRecord, readOutputRecord, recordStart } from "./record.ts";

type RecordItem = CallItem | (OutputItem & { output: string });

/** Reverses `writeHistory`. */
export function readHistory(input: readonly Item[]): Item[] {
  return input.flatMap((item) => (item.type === "message" ? readMessage(item) : [item]));
}

function readMessage(message: MessageItem): Item[] {
  const reader = new MessageReader(message);
  for (const part of message.content) reader.part(part);
  return reader.finish();
}

/** Splits a message into its records and the text around them. */
class MessageReader {
  readonly #message: MessageItem;
  readonly #items: Item[] = [];
  /** Parts of the text around records, read so far. */
  #said: Part[] = [];
  /** The record that was just read, and its attachments. */
  #record: RecordItem | undefined;
  #attachments: Part[] = [];
  #isAtLineStart = true;

  constructor(message: MessageItem) {
    this.#message = message;
  }

  part(part: Part): void {
    if (part.type !== "text") {
      if (this.#record?.type === "output") this.#attachments.push(part);
      else this.#said.push(part);
      return;
    }
    if (part.text === "") this.#said.push(part);
    for (const piece of this.#piecesOf(part.text)) {
      if (typeof piece === "string") this.#words(piece, part);
      else this.#begin(piece);
    }
    if (part.text !== "") this.#isAtLineStart = part.text.endsWith("\n");
  }

  finish(): Item[] {
    this.#endRecord();
    if (this.#said.length > 0 || this.#items.length === 0) this.#endWords();
    return this.#items;
  }

  /** The records of a text, and the text before, between and after them. */
  *#piecesOf(text: string): Generator<string | RecordItem> {
    let from = 0;
    let start = this.#isAtLineStart && text.startsWith(recordStart) ? 0 : nextStart(text, 0);
    while (start !== -1) {
      const newline = text.indexOf("\n", start);
      const end = newline === -1 ? text.length : newline;
      const record = this.#readRecord(text.slice(start, end));
      if (record) {
        if (start > from) yield text.slice(from, start);
        yield record;
        from = end;
      }
      start = nextStart(text, end);
    }
    if (from < text.length) yield text.slice(from);
  }

  #readRecord(line: string): RecordItem | undefined {
    if (this.#message.role === "assistant") return readCallRecord(line);
    return this.#message.role === "user" ? readOutputRecord(line) : undefined;
  }

  #words(piece: string, part: TextPart): void {
    if (this.#record && piece === "\n") return;
    const isBehindRecord = this.#record !== undefined && piece.startsWith("\n\n");
    this.#endRecord();
    const text = isBehindRecord ? piece.slice(2) : piece;
    if (text !== "") this.#said.push({ ...part, text });
  }

  #begin(record: RecordItem): void {
    this.#endRecord();
    const last = this.#said.at(-1);
    if (last?.type === "text" && last.text.endsWith("\n\n")) {
      this.#said.pop();
      const text = last.text.slice(0, -2);
      if (text !== "" || !isPlain(last)) this.#said.push({ ...last, text });
    }
    if (this.#said.length > 0) this.#endWords();
    this.#record = record;
  }

  #endWords(): void {
    this.#items.push({ ...this.#message, content: withWords(this.#said, rearm) });
    this.#said = [];
  }

  #endRecord(): void {
    const record = this.#record;
    if (!record) return;
    if (record.type === "call") this.#items.push(record);
    else this.#items.push({ ...record, output: joinOutput(record.output, this.#attachments) });
    this.#record = undefined;
    this.#attachments = [];
  }
}

/** Index of the next line that looks like a record; -1 without one. */
function nextStart(text: string, from: number): number {
  const found = text.indexOf(`\n${recordStart}`, from);
  return found === -1 ? -1 : found + 1;
}
