import { StringDecoder } from "node:string_decoder";

/** One line may hold a whole conversation, but not more than a request can. */
const longestLine = 128 * 1024 * 1024;

/** Splits the data of a pipe into lines. */
export class Lines {
  readonly #decoder = new StringDecoder("utf8");
  readonly #onLine: (line: string) => void;
  /** The pieces of the incomplete line. */
  #pieces: string[] = [];
  #length = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  feed(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#pieces.push(text.slice(start, end));
      const line = this.#pieces.length === 1 ? (this.#pieces[0] ?? "") : this.#pieces.join("");
      this.#pieces = [];
      this.#length = 0;
      start = end + 1;
      if (line !== "") this.#onLine(line);
    }
    if (start === text.length) return;
    this.#pieces.push(text.slice(start));
    this.#length += text.length - start;
    if (this.#length > longestLine) throw new Error("a line that does not end");
  }
}
