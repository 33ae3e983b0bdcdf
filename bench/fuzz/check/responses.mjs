import { fitsStrictTool, strictTool } from "../cases/valid-requests.mjs";
import { checkError } from "./envelope.mjs";

const ends = ["response.completed", "response.incomplete", "response.failed"];

/** A Responses stream: numbered events, one item after the other, one end that has what came. Gives the name of its end. */
export function checkResponsesStream(events, finding, { hasStrictTool }) {
  const stream = new Stream(finding, hasStrictTool);
  for (const event of events) stream.take(event);
  return stream.end();
}

class Stream {
  #finding;
  #hasStrictTool;
  #next = 0;
  #ending = null;
  #isDone = false;
  #hasError = false;
  #open = null;
  #items = 0;
  #done = [];

  constructor(finding, hasStrictTool) {
    this.#finding = finding;
    this.#hasStrictTool = hasStrictTool;
  }

  take({ done, name, data }) {
    if (this.#isDone) this.#finding("an event behind [DONE]");
    if (done) {
      this.#isDone = true;
      return;
    }
    if (name !== data.type) this.#finding(`event ${name} has the type ${String(data.type).slice(0, 60)}`);
    if (data.sequence_number !== this.#next)
      this.#finding(`sequence number ${data.sequence_number} in place of ${this.#next}`);
    if (this.#next === 0 && data.type !== "response.created") this.#finding(`the first event is ${data.type}`);
    this.#next++;
    if (this.#ending !== null && data.type !== "response.done")
      this.#finding(`${data.type} behind the end ${this.#ending}`);
    this.#takeType(data);
  }

  #takeType(data) {
    if (ends.includes(data.type)) {
      this.#ending = data.type;
      this.#checkResponse(data.response);
    } else if (data.type === "error") {
      this.#hasError = true;
      const { type: _, sequence_number: __, error, ...own } = data;
      checkError(error ?? { type: "error", ...own }, this.#finding, "error event");
    } else if (data.type === "response.output_item.added") {
      if (this.#open !== null) this.#finding("an item is added before the one before it is done");
      if (data.output_index !== this.#items)
        this.#finding(`output_index ${data.output_index} in place of ${this.#items}`);
      this.#items++;
      this.#open = data.item?.id;
    } else if (data.type === "response.output_item.done") {
      if (this.#open === null) this.#finding("an item is done that was not added");
      else if (this.#open !== data.item?.id)
        this.#finding("an item is done that has another id than the one that was added");
      this.#open = null;
      this.#done.push(data.item);
      this.#checkItem(data.item);
    } else if (
      "item_id" in data &&
      data.item_id !== this.#open &&
      !String(data.type).startsWith("response.output_tool_call")
    ) {
      this.#finding(`${data.type} of an item that is not open`);
    }
  }

  #checkItem(item) {
    if (!this.#hasStrictTool || item?.type !== "function_call" || item.name !== strictTool) return;
    if (!fitsStrictTool(item.arguments))
      this.#finding(`the arguments of a strict call do not fit: ${String(item.arguments).slice(0, 100)}`);
  }

  #checkResponse(response) {
    const status = this.#ending.slice("response.".length);
    if (response?.status !== status) this.#finding(`${this.#ending} with the status ${response?.status}`);
    if (status === "failed") checkFailure(response, this.#finding);
    if (status !== "failed" && this.#hasError) this.#finding(`${this.#ending} behind an error`);
    if (status === "completed" && this.#open !== null) this.#finding("completed with an open item");
    const last = (response?.output ?? []).map(({ id }) => id);
    if (status === "completed" && last.join() !== this.#done.map(({ id }) => id).join()) {
      this.#finding(`the end has ${last.length} items, and ${this.#done.length} were done`);
    }
  }

  end() {
    if (this.#ending === null) this.#finding("the stream has no end");
    if (!this.#isDone) this.#finding("the stream has no [DONE]");
    return this.#ending ?? "none";
  }
}

function checkFailure(response, finding) {
  if (typeof response?.error?.message !== "string") finding("response.failed without an error");
  if (response?.error?.code === "internal_error") finding("response.failed: internal_error");
}

/** A whole Responses answer. */
export function checkResponsesWhole(body, finding, { hasStrictTool }) {
  if (body.object !== "response" || !Array.isArray(body.output)) {
    finding("a whole answer that is none");
    return "none";
  }
  if (!["completed", "incomplete", "failed"].includes(body.status)) finding(`status ${JSON.stringify(body.status)}`);
  if (body.status === "failed") checkFailure(body, finding);
  for (const item of hasStrictTool ? body.output : []) {
    if (item.type === "function_call" && item.name === strictTool && !fitsStrictTool(item.arguments)) {
      finding(`the arguments of a strict call do not fit: ${String(item.arguments).slice(0, 100)}`);
    }
  }
  return body.status;
}
