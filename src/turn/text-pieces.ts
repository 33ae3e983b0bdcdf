/** More pieces are joined: a text that arrives one character at a time would need a hundred times its size. */
const mostPieces = 1_024;

/** A text that arrives in pieces. Takes linear time and memory, however small they are. */
export class TextPieces {
  /** Joined blocks. V8 concatenates them without copying. */
  #text = "";
  #pieces: string[] = [];
  length = 0;

  add(piece: string): void {
    this.length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length > mostPieces) this.#join();
  }

  /** Returns the text and begins a new one. */
  take(): string {
    this.#join();
    const text = this.#text;
    this.#text = "";
    this.length = 0;
    return text;
  }

  #join(): void {
    const [first = ""] = this.#pieces;
    const joined = this.#pieces.length < 2 ? first : this.#pieces.join("");
    this.#text = this.#text === "" ? joined : this.#text + joined;
    this.#pieces = [];
  }
}
