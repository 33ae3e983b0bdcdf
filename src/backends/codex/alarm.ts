/** Codex did something on its own that its settings forbid: a command, a patch, a search. */
export class Alarm extends Error {
  /** The type of the item. */
  readonly what: string;

  constructor(what: string) {
    super(`an item of type ${what}`);
    this.what = what;
  }
}
