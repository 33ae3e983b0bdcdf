/** Skips a JavaScript comment, from its first slash on. JSON has no comments, but models write them. */
export class Comment {
  #state: "slash" | "open" | "line" | "block" | "star" = "slash";
  isDone = false;
  isBad = false;

  /**
   * Reads on and returns where it stopped: at the end of the text, after the comment, or at a character that shows that it is
   * none.
   */
  read(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const character = text.charAt(at);
      switch (this.#state) {
        case "slash":
          this.#state = "open";
          break;
        case "open":
          if (character === "/") this.#state = "line";
          else if (character === "*") this.#state = "block";
          else {
            this.isBad = true;
            return at;
          }
          break;
        case "line":
          if (character === "\n" || character === "\r") {
            this.isDone = true;
            return at;
          }
          break;
        default:
          if (character === "/" && this.#state === "star") {
            this.isDone = true;
            return at + 1;
          }
          this.#state = character === "*" ? "star" : "block";
      }
    }
    return text.length;
  }
}
