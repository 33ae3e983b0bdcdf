import { bringsTools, isDefaultNamespace } from "../../tools/index.ts";
import type { BackendCallStarted, Turn } from "../../turn/index.ts";

/** Tools that are not read here: those inside a hosted one (a namespace, an MCP server), or in the input. Only the backend knows them. */
export class UnreadTools {
  readonly #turn: Turn;
  #any: boolean | undefined;

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  get any(): boolean {
    this.#any ??= this.#turn.tools.some(({ type }) => type === "hosted") || this.#turn.input.some(bringsTools);
    return this.#any;
  }

  /** Whether a call is of one of them for sure, whatever it is called. */
  has({ namespace }: BackendCallStarted): boolean {
    return !isDefaultNamespace(namespace) && this.any;
  }
}
