import type { RepairReport } from "../../dialects/index.ts";
import type { BackendEvent, Repair } from "../../turn/index.ts";

/** What the readers of one round share. */
export interface Finder {
  emit(event: BackendEvent): void;
  /** A number for a call that no call or item of the backend has. */
  number(): number;
}

/** Emits the calls that one reader finds, one after the other. */
export class FoundCalls {
  readonly #finder: Finder;
  #open: number | undefined;
  #repairs: Set<Repair> | undefined;

  constructor(finder: Finder) {
    this.#finder = finder;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  start(name: string, dialect: string, callId: string | undefined): void {
    const call = this.#finder.number();
    this.#open = call;
    this.#repairs = undefined;
    this.#finder.emit({ type: "call.started", call, kind: "function", name, callId, dialect });
  }

  arguments(delta: string): void {
    if (this.#open !== undefined) this.#finder.emit({ type: "call.arguments", call: this.#open, delta });
  }

  done(): void {
    if (this.#open !== undefined) this.#finder.emit({ type: "call.done", call: this.#open });
    this.#open = undefined;
  }

  /** Each kind is reported once per call. A repair that is found only after its call is reported without the call. */
  repaired({ repair, call }: RepairReport): void {
    const open = call === undefined ? undefined : this.#open;
    if (open !== undefined && this.#repairs?.has(repair)) return;
    this.#repairs ??= new Set();
    this.#repairs.add(repair);
    this.#finder.emit({ type: "call.repaired", call: open, repair });
  }
}
