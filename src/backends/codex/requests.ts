import { isDeeperThan, isObject, type JsonObject, type JsonValue, TurnError } from "../../turn/index.ts";
import { RpcError, type RpcFailure } from "./protocol.ts";

interface Waiting {
  method: string;
  params: JsonObject;
  attempts: number;
  resolve: (result: JsonObject) => void;
  reject: (error: Error) => void;
}

/** Codex rejects requests when too many are pending. */
const mostAtOnce = 64;
const overloaded = -32001;
const [shortestPause, mostAttempts] = [50, 30];
/** Codex silently ignores a message that is nested deeper than 127 levels. */
const deepest = 115;

/** The requests to one app-server. Limits how many are pending, and retries those that it rejects as overloaded. */
export class Requests {
  readonly #send: (message: JsonObject) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #queue: Waiting[] = [];
  readonly #pauses = new Set<NodeJS.Timeout>();
  #lastId = 0;
  #over: Error | undefined;

  constructor(send: (message: JsonObject) => void) {
    this.#send = send;
  }

  make(method: string, params: JsonObject): Promise<JsonObject> {
    if (this.#over) return Promise.reject(this.#over);
    if (isDeeperThan(params, deepest)) {
      return Promise.reject(new TurnError("invalid_request", "The request is nested too deeply for Codex."));
    }
    return new Promise((resolve, reject) => this.#take({ method, params, attempts: 0, resolve, reject }));
  }

  answered(id: number, result: JsonValue | undefined, error: RpcFailure | undefined): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    if (error?.code === overloaded && waiting.attempts < mostAttempts) this.#later(waiting);
    else if (error) waiting.reject(new RpcError(waiting.method, error));
    else waiting.resolve(isObject(result) ? result : {});
    const next = this.#queue.shift();
    if (next) this.#take(next);
  }

  /** No more responses will arrive, so all pending requests fail. */
  end(error: Error): void {
    if (this.#over) return;
    this.#over = error;
    for (const pause of this.#pauses) clearTimeout(pause);
    for (const { reject } of [...this.#waiting.values(), ...this.#queue.splice(0)]) reject(error);
    this.#waiting.clear();
  }

  #take(waiting: Waiting): void {
    if (this.#over) waiting.reject(this.#over);
    else if (this.#waiting.size >= mostAtOnce) this.#queue.push(waiting);
    else {
      const id = ++this.#lastId;
      this.#waiting.set(id, waiting);
      this.#send({ id, method: waiting.method, params: waiting.params });
    }
  }

  #later(waiting: Waiting): void {
    waiting.attempts++;
    const pause = setTimeout(
      () => {
        this.#pauses.delete(pause);
        this.#take(waiting);
      },
      shortestPause * (1 + Math.random() * waiting.attempts),
    );
    this.#pauses.add(pause);
  }
}
