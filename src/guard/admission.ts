/** So many turns at once, and no more: what comes beyond is refused at the door, while it costs nothing yet. */
export class Admission {
  readonly most: number;
  #underWay = 0;

  constructor(most: number) {
    this.most = most;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** A place for one turn, or `null` when all are taken. It is given back by calling it; to call it again changes nothing. */
  enter(): (() => void) | null {
    if (this.#underWay >= this.most) return null;
    this.#underWay += 1;
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#underWay -= 1;
    };
  }
}
