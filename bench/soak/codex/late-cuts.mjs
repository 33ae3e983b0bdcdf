/** Milliseconds within which the provider must hear that nobody listens any more. */
const limit = 1_000;

/** The answers that were not wanted to their end: of clients that left, and of models that went on after their calls. */
export class LateCuts {
  #delays = [];
  #written = 0;
  #unheard = 0;

  /** `cut` is what the provider saw since the last time, `left` when the clients went. */
  add(cut, left) {
    const seen = new Map(cut.map(({ word, at }) => [word, at]));
    for (const [word, at] of left) {
      if (seen.has(word)) this.#delays.push(seen.get(word) - at);
      else this.#unheard++;
    }
    left.clear();
    this.#written += cut.filter(({ model }) => model === "written").length;
  }

  judge() {
    const slowest = Math.max(0, ...this.#delays);
    const leaving = `${this.#delays.length} clients left; the provider's connection was closed within ${slowest} ms`;
    return [
      { ok: slowest <= limit && this.#unheard === 0, sentence: `${leaving}, at most ${limit}` },
      { ok: this.#written > 0, sentence: `${this.#written} models were cut that went on after their calls` },
    ];
  }
}
