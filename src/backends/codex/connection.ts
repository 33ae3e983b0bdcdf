import type { Readable, Writable } from "node:stream";
import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";
import { cancelled, declined } from "./declined.ts";
import { Lines } from "./lines.ts";
import { type Incoming, RpcError } from "./protocol.ts";
import { readMessage } from "./read-message.ts";

/** Who hears what is said about a thread. */
export interface ThreadListener {
  hear(method: string, params: JsonObject): void;
  /** The app-server waits for what a client's tool gives; `cancel` tells it that nothing will come. */
  called(cancel: () => void): void;
  /** Called once after each read in which something was heard. */
  flush(): void;
  /** The app-server is gone. */
  lost(error: Error): void;
}

export interface ConnectionEvents {
  /** The app-server wants something of us that it does not get. */
  onDeclined(method: string, params: JsonObject): void;
  /** What is said about no thread. */
  onNotice(method: string, params: JsonObject): void;
  /** It speaks no protocol that we know. */
  onBroken(error: Error): void;
}

interface Waiting {
  method: string;
  resolve: (result: JsonObject) => void;
  reject: (error: Error) => void;
}

/** A conversation with one app-server process: requests and their answers, and what it tells about its threads. */
export class Connection {
  readonly #input: Writable;
  readonly #events: ConnectionEvents;
  readonly #waiting = new Map<number, Waiting>();
  readonly #threads = new Map<string, ThreadListener>();
  /** Those that have heard something in this read. */
  readonly #touched = new Set<ThreadListener>();
  #lastId = 0;
  #over: Error | undefined;

  constructor(input: Writable, output: Readable, events: ConnectionEvents) {
    this.#input = input;
    this.#events = events;
    const lines = new Lines((line) => this.#read(line));
    output.on("data", (chunk: Buffer) => {
      if (this.#over) return;
      try {
        lines.feed(chunk);
      } catch (error) {
        this.#events.onBroken(error instanceof Error ? error : new Error(String(error)));
      }
      for (const listener of this.#touched) listener.flush();
      this.#touched.clear();
    });
    // A process that ends closes its pipes; what it could not be told is told by its end.
    input.on("error", () => {});
    output.on("error", () => {});
  }

  /** How many threads are listened to. */
  get threads(): number {
    return this.#threads.size;
  }

  request(method: string, params: JsonObject): Promise<JsonObject> {
    if (this.#over) return Promise.reject(this.#over);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { method, resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: string): void {
    if (!this.#over) this.#send({ method });
  }

  listen(thread: string, listener: ThreadListener): void {
    this.#threads.set(thread, listener);
  }

  unlisten(thread: string): void {
    this.#threads.delete(thread);
  }

  /** Nothing more will come: everybody who waits is told. */
  end(error: Error): void {
    if (this.#over) return;
    this.#over = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    for (const listener of [...this.#threads.values()]) listener.lost(error);
    this.#threads.clear();
  }

  #send(message: JsonObject): void {
    this.#input.write(`${JSON.stringify(message)}\n`);
  }

  #read(line: string): void {
    // A program around it may have words of its own.
    if (!line.startsWith("{")) return;
    const message = readMessage(line);
    if (!message) throw new Error("a line that is no message");
    switch (message.kind) {
      case "answer":
        this.#answered(message);
        return;
      case "request":
        this.#asked(message);
        return;
      case "notification":
        this.#told(message.method, message.params);
    }
  }

  #answered({ id, result, error }: Incoming & { kind: "answer" }): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new RpcError(waiting.method, error));
    else waiting?.resolve(isObject(result) ? result : {});
  }

  /** Who listens to the thread knows of its calls. Everything else is declined. */
  #asked({ id, method, params }: Incoming & { kind: "request" }): void {
    const listener = typeof params.threadId === "string" ? this.#threads.get(params.threadId) : undefined;
    if (method === "item/tool/call" && listener) {
      listener.called(() => this.#send({ id, result: cancelled }));
      return;
    }
    const result: JsonValue | undefined = declined[method];
    if (result === undefined) this.#send({ id, error: { code: -32601, message: "Toolwire does not do this." } });
    else this.#send({ id, result });
    this.#events.onDeclined(method, params);
    this.#told(method, params);
  }

  #told(method: string, params: JsonObject): void {
    const listener = typeof params.threadId === "string" ? this.#threads.get(params.threadId) : undefined;
    if (!listener) {
      this.#events.onNotice(method, params);
      return;
    }
    listener.hear(method, params);
    this.#touched.add(listener);
  }
}
