import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";

class Interrupted extends Error {}

/** A turn that runs: what it tells the client, whoever decides what that is. */
export class Turn {
  #server;
  #thread;
  #id;
  #input;
  #began = Date.now();
  #interrupted;
  #stop;
  /** Calls that the client has not replied to, oldest first. */
  #pending = new Map();
  /** Whether the model has begun a response that has not ended. */
  #isAnswering = false;
  /** What the response has cost whose calls are pending. */
  #cost;

  constructor({ server, thread, id, input }) {
    this.#server = server;
    this.#thread = thread;
    this.#id = id;
    this.#input = input;
    this.#interrupted = new Promise((_, reject) => {
      this.#stop = reject;
    });
    this.#interrupted.catch(() => {});
  }

  get hasRawEvents() {
    return this.#thread.raw;
  }

  /** What the client has offered, as a model sees it. */
  get tools() {
    return this.#thread.tools;
  }

  get server() {
    return this.#server;
  }

  about(status, more = {}) {
    return { id: this.#id, status, error: null, items: [], ...more };
  }

  /** Runs until the script is over or the client interrupts. */
  async run(script) {
    try {
      await script();
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      this.#endInterrupted(error.reply);
    }
  }

  interrupt(reply) {
    const error = new Interrupted();
    error.reply = reply;
    this.#stop(error);
  }

  /** Waits for something, or for the interrupt. */
  until(promise) {
    return Promise.race([promise, this.#interrupted]);
  }

  pause(milliseconds) {
    return this.until(milliseconds > 0 ? sleep(milliseconds) : nextTick());
  }

  notify(method, params = {}) {
    if (method === "item/started" && params.item.type !== "userMessage") this.#isAnswering = true;
    if (method === "rawResponse/completed") this.owe(params.usage);
    if (method === "thread/tokenUsage/updated") {
      this.#isAnswering = false;
      this.#cost = undefined;
    }
    if (!this.#thread.isSubscribed) return;
    this.#server.notify(method, { threadId: this.#thread.id, turnId: this.#id, ...params });
  }

  /** A request to the client about this turn. */
  ask(method, params) {
    return this.#server.request(method, { threadId: this.#thread.id, turnId: this.#id, ...params });
  }

  /** The beginning, in the order that is asked for. */
  open(order, reply) {
    const threadId = this.#thread.id;
    const content = this.#input;
    const user = { type: "userMessage", id: `item-${this.#id.slice(-4)}`, content };
    const parts = {
      reply,
      warning: () =>
        this.#aboutThread("warning", { message: `Model metadata for \`${this.#thread.model}\` not found.` }),
      "thread/status/changed": () => this.changeStatus({ type: "active", activeFlags: [] }),
      "turn/started": () => this.#server.notify("turn/started", { threadId, turn: this.about("inProgress") }),
      userMessage: () => {
        // Where nothing is said anew, as after `thread/inject_items`, there is no message either.
        if (content.length === 0) return;
        const words = content.map(({ text, url }) =>
          url ? { type: "input_image", image_url: url } : { type: "input_text", text },
        );
        this.raw({ type: "message", id: `msg_${user.id}`, role: "user", content: words });
        this.notify("item/started", { item: user });
        this.notify("item/completed", { item: user });
      },
    };
    for (const part of order) parts[part]();
  }

  raw(item) {
    if (this.hasRawEvents) this.notify("rawResponseItem/completed", { item });
  }

  /** The model's response is whole. What it has cost is told when its calls are over, however they end. */
  owe(usage) {
    this.#cost = usage;
  }

  /** With raw events it is told at once, too. */
  rawCompleted(usage) {
    this.owe(usage);
    if (this.hasRawEvents) this.notify("rawResponse/completed", { responseId: `resp_${this.#id.slice(-4)}`, usage });
  }

  tellUsage(last) {
    const { total } = this.#thread;
    for (const [key, count] of Object.entries(last)) total[key] = (total[key] ?? 0) + count;
    this.notify("thread/tokenUsage/updated", { tokenUsage: { total, last, modelContextWindow: 258_400 } });
    this.tellLimits();
  }

  tellLimits() {
    this.#server.notify("account/rateLimits/updated", { rateLimits: { limitId: "codex", primary: null } });
  }

  /** The client is asked for the output of a call; resolves when it has given one. */
  async call(item) {
    const { id: callId, namespace, tool, arguments: given } = item;
    this.#pending.set(callId, item);
    const { reply } = this.ask("item/tool/call", { callId, namespace, tool, arguments: given });
    const { result } = await this.until(reply);
    this.#pending.delete(callId);
    return { contentItems: result?.contentItems ?? [], success: result?.success ?? false };
  }

  complete(items) {
    this.changeStatus({ type: "idle" });
    this.end("completed", { items });
  }

  fail({ message, codexErrorInfo, additionalDetails = null }) {
    const error = { message, codexErrorInfo, additionalDetails };
    this.changeStatus({ type: "systemError" });
    this.notify("error", { error, willRetry: false });
    this.end("failed", { error });
  }

  #endInterrupted(reply) {
    const calls = [...this.#pending.values()];
    for (const item of calls.toReversed()) {
      const failed = { status: "failed", contentItems: [], success: false, durationMs: 2 };
      this.notify("item/completed", { item: { ...item, ...failed } });
    }
    for (const { id } of calls) {
      const output = "dynamic tool call was cancelled before receiving a response";
      this.raw({ type: "function_call_output", id: `fco_${id}`, call_id: id, output });
    }
    if (this.#cost) this.tellUsage(this.#cost);
    else if (this.#isAnswering) this.tellLimits();
    const text = "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>";
    this.raw({ type: "message", id: "msg_aborted", role: "user", content: [{ type: "input_text", text }] });
    reply();
    this.changeStatus({ type: "idle" });
    this.end("interrupted");
  }

  end(status, more = {}) {
    const { items = [], error = null } = more;
    const turn = this.about(status, { items, error, durationMs: Date.now() - this.#began });
    if (this.#thread.turn === this) this.#thread.turn = undefined;
    if (this.#thread.isSubscribed) this.#server.notify("turn/completed", { threadId: this.#thread.id, turn });
  }

  changeStatus(status) {
    this.#aboutThread("thread/status/changed", { status });
  }

  #aboutThread(method, params) {
    if (this.#thread.isSubscribed) this.#server.notify(method, { threadId: this.#thread.id, ...params });
  }
}
