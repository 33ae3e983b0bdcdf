import type { ArgumentOf, Database, OperationName, ResultOf } from "../../src/store/database.ts";
import { type Pending, PendingOperations } from "../../src/store/pending.ts";
import type { Log } from "../../src/turn/index.ts";

/** A database whose operations are answered by the test. */
export class ScriptedDatabase implements Database {
  readonly #pending = new PendingOperations("scripted");
  /** Answers the next operations. */
  answer: (pending: Pending) => void = (pending) => pending.resolve(null);
  /** The names of all operations that were run. */
  readonly names: string[] = [];

  get queue(): number {
    return this.#pending.count;
  }

  run<Name extends OperationName>(name: Name, argument: ArgumentOf<Name>): Promise<ResultOf<Name>> {
    this.names.push(name);
    return this.#pending.add(name, argument, (pending) => this.answer(pending));
  }

  async *export(): AsyncGenerator<never> {}

  async close(): Promise<void> {}
}

/** A log whose lines can be read. */
export class LogLines implements Log {
  readonly lines: string[] = [];

  isLevelEnabled(): boolean {
    return true;
  }

  debug(): void {}

  info(_: object, message: string): void {
    this.lines.push(`info: ${message}`);
  }

  warn(_: object, message: string): void {
    this.lines.push(`warn: ${message}`);
  }

  error(_: object, message: string): void {
    this.lines.push(`error: ${message}`);
  }
}
