import { randomBytes } from "node:crypto";
import * as raw from "./raw.mjs";

/** A turn as a scene tells it, step by step, in the notifications of the real program. */
export async function runSteps(turn, steps, pace) {
  const run = new Steps(turn, pace);
  for (const step of steps) {
    const [kind] = Object.keys(step);
    if (!(kind in run)) throw new Error(`No step "${kind}".`);
    await run[kind](step);
    if (run.isOver) return;
    await turn.pause(0);
  }
  await run.end();
}

class Steps {
  isOver = false;
  #turn;
  #pace;
  #messages = [];

  constructor(turn, pace) {
    this.#turn = turn;
    this.#pace = pace;
  }

  async say({ say, id = newId("msg"), phase = null, open = false }) {
    const text = [say].flat().join("");
    const item = { type: "agentMessage", id, text: "", phase };
    this.#turn.notify("item/started", { item });
    for (const delta of [say].flat()) {
      this.#turn.notify("item/agentMessage/delta", { itemId: id, delta });
      await this.#turn.pause(this.#pace);
    }
    if (open) return;
    this.#messages.push({ ...item, text });
    this.#turn.notify("item/completed", { item: { ...item, text } });
    this.#turn.raw(raw.message({ ...item, text }));
  }

  async think({ think, id = newId("rs") }) {
    const item = { type: "reasoning", id, summary: [], content: [] };
    this.#turn.notify("item/started", { item });
    this.#turn.notify("item/reasoning/summaryPartAdded", { itemId: id, summaryIndex: 0 });
    for (const delta of [think].flat()) {
      this.#turn.notify("item/reasoning/summaryTextDelta", { itemId: id, delta, summaryIndex: 0 });
      await this.#turn.pause(this.#pace);
    }
    const whole = { ...item, summary: [[think].flat().join("")] };
    this.#turn.notify("item/completed", { item: whole });
    this.#turn.raw(raw.reasoning(whole));
  }

  /** All calls of one response. The turn goes on when the client has replied to them. */
  async calls({ calls, usage = true }) {
    const cost = raw.usage(usage);
    const replies = [];
    const refused = [];
    for (const [index, call] of calls.entries()) {
      const { arguments: given = {}, id = newId("call"), unknown } = call;
      const { name, namespace = null } = call.name.offered === undefined ? call : this.#turn.tools[call.name.offered];
      const text = typeof given === "string" ? given : JSON.stringify(given);
      const parsed = parse(text);
      this.#turn.raw(raw.functionCall({ id, name, namespace, arguments: text }));
      if (index === calls.length - 1) this.#turn.rawCompleted(cost);
      if (unknown || parsed === undefined) {
        refused.push({ id, output: unknown ? `unsupported call: ${name}` : "failed to parse function arguments" });
      } else {
        const reply = this.#call({ id, namespace, tool: name, arguments: parsed });
        // An interrupt is heard where the replies are waited for.
        reply.catch(() => {});
        replies.push(reply);
      }
      await this.#turn.pause(this.#pace);
    }
    for (const { id, output } of refused) this.#turn.raw(raw.callOutput(id, output));
    await Promise.all(replies);
    this.#turn.tellUsage(cost);
  }

  async #call(about) {
    const item = { type: "dynamicToolCall", ...about, status: "inProgress", contentItems: null, success: null };
    this.#turn.notify("item/started", { item });
    const { contentItems, success } = await this.#turn.call(item);
    const status = success ? "completed" : "failed";
    this.#turn.notify("item/completed", { item: { ...item, status, contentItems, success, durationMs: 2 } });
    this.#turn.raw(raw.callOutput(item.id, contentItems.map(({ text }) => text).join("")));
  }

  usage({ usage }) {
    const cost = raw.usage(usage);
    this.#turn.rawCompleted(cost);
    this.#turn.tellUsage(cost);
  }

  limits() {
    this.#turn.tellLimits();
  }

  retry({ retry: { message, info = "other", details = null } }) {
    const error = { message, codexErrorInfo: info, additionalDetails: details };
    this.#turn.notify("error", { error, willRetry: true });
  }

  fail({ fail: { message, info = "other", details = null } }) {
    this.isOver = true;
    this.#turn.fail({ message, codexErrorInfo: info, additionalDetails: details });
  }

  end() {
    this.isOver = true;
    this.#turn.complete(this.#messages.slice(-1));
  }

  item({ item, stage }) {
    const whole = { id: newId("item"), ...item };
    if (stage !== "completed") this.#turn.notify("item/started", { item: whole });
    if (stage !== "started") this.#turn.notify("item/completed", { item: whole });
  }

  async ask({ ask: { method, params = {} } }) {
    const { id, reply } = this.#turn.ask(method, params);
    await this.#turn.until(reply);
    this.#turn.notify("serverRequest/resolved", { requestId: id });
  }

  notify({ notify: { method, params } }) {
    this.#turn.notify(method, params);
  }

  line({ line }) {
    this.#turn.server.sendLine(line);
  }

  huge({ huge }) {
    this.#turn.notify("warning", { message: "x".repeat(huge) });
  }

  stderr({ stderr }) {
    process.stderr.write(stderr);
  }

  wait({ wait }) {
    return this.#turn.pause(wait);
  }

  hang() {
    return this.#turn.until(new Promise(() => {}));
  }

  freeze() {
    this.#turn.server.isFrozen = true;
    return new Promise(() => {});
  }

  exit({ exit }) {
    this.#turn.server.leave(exit);
  }

  kill({ kill }) {
    process.kill(process.pid, kill);
    return new Promise(() => {});
  }
}

function newId(kind) {
  return `${kind}_${randomBytes(6).toString("hex")}`;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
