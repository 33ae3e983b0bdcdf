interface Part {
  /** JSON text of the value, or of the values of a list with commas between them. */
  text: string;
  isList: boolean;
}

/**
 * Arguments in which a parameter is repeated: its values form a list, in the place of the last one. They are joined only once, so
 * that each repetition costs what its own text costs.
 */
export class RepeatedParameters {
  readonly #parts = new Map<string, Part>();
  /** The parameter whose value is being written. */
  #last: Part = { text: "", isList: false };
  #length = 0;

  /** How long the arguments are so far, as JSON text. */
  get length(): number {
    return this.#length;
  }

  /** Begins a parameter, or the next value of one. */
  begin(name: string): void {
    const part = this.#parts.get(name);
    if (this.#last.isList) this.#length++;
    if (!part) {
      this.#last = { text: "", isList: false };
      this.#parts.set(name, this.#last);
      this.#length += JSON.stringify(name).length + 2;
      return;
    }
    // The comma; and the brackets, of which the last is written when the list ends.
    this.#length += part.isList ? 0 : 2;
    part.text += ",";
    part.isList = true;
    this.#last = part;
    this.#parts.delete(name);
    this.#parts.set(name, part);
  }

  /** What ends the value that is being written. */
  get close(): string {
    return this.#last.isList ? "]" : "";
  }

  add(text: string): void {
    this.#last.text += text;
    this.#length += text.length;
  }

  /** The arguments up to the value that is being written. */
  join(): string {
    const written = [...this.#parts].map(([name, part]) => {
      const value = part.isList ? `[${part.text}${part === this.#last ? "" : "]"}` : part.text;
      return `${JSON.stringify(name)}:${value}`;
    });
    return `{${written.join(",")}`;
  }
}
