/** Limits how many turns run at once. Further turns are refused before their bodies are read. */
export class Admission {
  readonly most: number;
  #underWay = 0;

  constructor(most: number) {
    this.most = most;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** Takes a slot for one turn. Returns the function that releases it (idempotent), or `null` if no slot is free. */
  enter(): (() => void) | null {
    if (this.#underWay >= this.most) return null;
    this.#underWay += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#underWay -= 1;
    };
  }
}
