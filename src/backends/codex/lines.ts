import { StringDecoder } from "node:string_decoder";
import { TextPieces } from "../../turn/index.ts";

/** One line may hold a whole conversation, but not more than a request can. */
const longestLine = 64 * 1024 * 1024;

/** Splits the data of a pipe into lines. */
export class Lines {
  readonly #decoder = new StringDecoder("utf8");
  readonly #onLine: (line: string) => void;
  /** The incomplete line. */
  readonly #held = new TextPieces();

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  feed(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const piece = text.slice(start, end);
      start = end + 1;
      if (this.#held.length === 0) {
        if (piece !== "") this.#onLine(piece);
        continue;
      }
      this.#held.add(piece);
      this.#onLine(this.#held.take());
    }
    if (start === text.length) return;
    this.#held.add(text.slice(start));
    if (this.#held.length > longestLine) throw new Error("a line that does not end");
  }
}
