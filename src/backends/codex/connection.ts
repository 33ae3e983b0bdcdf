import type { Readable, Writable } from "node:stream";
import { inLaterTurn, type JsonObject, stretch } from "../../turn/index.ts";
import { cancelled, declined } from "./declined.ts";
import { Lines } from "./lines.ts";
import type { Incoming } from "./protocol.ts";
import { readMessage } from "./read-message.ts";
import { Requests } from "./requests.ts";
import { wellFormed } from "./well-formed.ts";

/** Receives the messages about one thread. */
export interface ThreadListener {
  /** Called once in each read that has a message for this listener, before the first. */
  begin(): void;
  hear(method: string, params: JsonObject): void;
  /** The app-server waits for the result of a client's tool; `cancel` answers that there will be none. */
  called(cancel: () => void): void;
  /** Called once after each read that had a message for this listener. */
  flush(): void;
  /** The app-server is gone. */
  lost(error: Error): void;
}

export interface ConnectionEvents {
  /** The app-server sent a request that was declined. */
  onDeclined(method: string, params: JsonObject): void;
  /** The pipe closed, or its data does not follow the protocol. Called once. */
  onBroken(error: Error): void;
}

/** A pipe to the process closed, mostly because the process exited. */
export class PipeClosed extends Error {}

/** The connection to one app-server process: requests and their responses, and notifications about its threads. */
export class Connection {
  readonly #input: Writable;
  readonly #output: Readable;
  readonly #events: ConnectionEvents;
  readonly #requests: Requests;
  readonly #threads = new Map<string, ThreadListener>();
  /** Listeners that got a message in this read. */
  readonly #touched = new Set<ThreadListener>();
  #isOver = false;
  /** Milliseconds of work since the last rest. */
  #worked = 0;
  /** When the last data arrived. */
  heardAt = 0;

  constructor(input: Writable, output: Readable, events: ConnectionEvents) {
    this.#input = input;
    this.#output = output;
    this.#events = events;
    this.#requests = new Requests((message) => this.#send(message));
    const lines = new Lines((line) => this.#read(line));
    output.on("data", (chunk: Buffer) => this.#feed(lines, chunk));
    const onClosed = () => this.#break(new PipeClosed());
    output.on("close", onClosed).on("error", onClosed);
    input.on("error", onClosed);
  }

  request(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#requests.make(method, params);
  }

  notify(method: string): void {
    this.#send({ method });
  }

  listen(thread: string, listener: ThreadListener): void {
    this.#threads.set(thread, listener);
  }

  unlisten(thread: string): void {
    this.#threads.delete(thread);
  }

  /** No more messages will arrive, so everything that waits fails. */
  end(error: Error): void {
    this.#isOver = true;
    this.#requests.end(error);
    const listeners = [...this.#threads.values()];
    this.#threads.clear();
    for (const listener of listeners) listener.lost(error);
  }

  #feed(lines: Lines, chunk: Buffer): void {
    if (this.#isOver) return;
    this.heardAt = performance.now();
    try {
      lines.feed(chunk);
    } catch (error) {
      this.#break(error instanceof Error ? error : new Error(String(error)));
    }
    for (const listener of this.#touched) listener.flush();
    this.#touched.clear();
    this.#worked += performance.now() - this.heardAt;
    if (this.#worked >= stretch) this.#rest();
  }

  /** Node may deliver many reads in one turn of the event loop. */
  #rest(): void {
    this.#worked = 0;
    this.#output.pause();
    inLaterTurn(() => this.#output.resume());
  }

  #break(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#output.destroy();
    this.#events.onBroken(error);
  }

  #send(message: JsonObject): void {
    if (!this.#isOver) this.#input.write(`${wellFormed(JSON.stringify(message))}\n`);
  }

  #read(line: string): void {
    const message = readMessage(line);
    switch (message?.kind) {
      case "answer":
        this.#requests.answered(message.id, message.result, message.error);
        return;
      case "request":
        this.#onRequest(message);
        return;
      case "notification":
        this.#onNotification(message.method, message.params);
    }
  }

  /** A tool call goes to the listener of its thread. Every other request is declined. */
  #onRequest({ id, method, params }: Incoming & { kind: "request" }): void {
    const listener = this.#listenerOf(params);
    if (method === "item/tool/call" && listener) {
      listener.called(() => this.#send({ id, result: cancelled }));
      return;
    }
    const result = declined[method];
    if (result === undefined) this.#send({ id, error: { code: -32601, message: "Toolwire does not do this." } });
    else this.#send({ id, result });
    this.#events.onDeclined(method, params);
  }

  #onNotification(method: string, params: JsonObject): void {
    const listener = this.#listenerOf(params);
    if (!listener) return;
    if (!this.#touched.has(listener)) listener.begin();
    this.#touched.add(listener);
    listener.hear(method, params);
  }

  #listenerOf({ threadId }: JsonObject): ThreadListener | undefined {
    return typeof threadId === "string" ? this.#threads.get(threadId) : undefined;
  }
}
