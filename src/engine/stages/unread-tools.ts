import { bringsTools, isDefaultNamespace } from "../../tools/index.ts";
import type { BackendCallStarted, Turn } from "../../turn/index.ts";

/**
 * Tools that Toolwire does not read: those inside a hosted tool (a namespace, an MCP server), or in the input. Only the backend
 * knows them.
 */
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

  /** Whether the call is certainly of one of them, whatever its name is. */
  has({ namespace }: BackendCallStarted): boolean {
    return !isDefaultNamespace(namespace) && this.any;
  }
}
