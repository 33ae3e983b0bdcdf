import { isDeepStrictEqual } from "node:util";
import { type ErrorBody, isObject, type JsonObject, parseJson } from "../../src/turn/index.ts";
import {
  checkErrorBody,
  checkResponsesUsage,
  type Ended,
  Faults,
  type Folded,
  flatAnnotation,
  objectsOf,
} from "./folded.ts";
import { checkResponseObject, isCallItem } from "./response-object.ts";
import { ItemReader } from "./responses-items.ts";
import { readSse, type SseEvent } from "./sse.ts";

export interface ResponsesStreamOptions {
  profile?: "openai" | "extended";
  /** The scene is one where arguments that are not JSON are passed on as they are. */
  rawArguments?: boolean;
}

export interface ResponsesStream extends Folded {
  faults: string[];
  /** Every item that was done, in order. */
  items: JsonObject[];
  /** The item that was added and never done. */
  open: JsonObject | null;
  /** The response object of the terminal event. */
  terminal: JsonObject | null;
  events: JsonObject[];
  comments: number;
}

/** Reads a Responses stream as the strictest of clients does, all of them together. */
export function checkResponsesStream(text: string, options: ResponsesStreamOptions = {}): ResponsesStream {
  const reader = new ResponsesStreamReader(options);
  const { events, comments } = readSse(text, reader.faults);
  for (const event of events) reader.read(event);
  return { ...reader.end(), comments };
}

const lifecycle = new Set(["created", "queued", "in_progress", "completed", "failed", "incomplete"].map(named));
const terminals = new Set(["completed", "failed", "incomplete"].map(named));

function named(name: string): string {
  return `response.${name}`;
}

class ResponsesStreamReader {
  readonly faults = new Faults();
  readonly #extended: boolean;
  readonly #items: ItemReader;
  readonly #events: JsonObject[] = [];
  #sequence = 0;
  #first: JsonObject | null = null;
  #previous: string | null = null;
  #terminal: JsonObject | null = null;
  #error: ErrorBody | null = null;
  #closings = { done: 0, responseDone: 0 };

  constructor({ profile = "openai", rawArguments = false }: ResponsesStreamOptions) {
    this.#extended = profile === "extended";
    this.#items = new ItemReader(this.faults, { extended: this.#extended, rawArguments });
  }

  read({ event: name, data }: SseEvent): void {
    if (data === "[DONE]") {
      this.#closings.done++;
      return;
    }
    if (!this.faults.unless(this.#closings.done === 0, "[DONE] is not last")) return;
    const event = parseJson(data);
    if (!isObject(event) || typeof event.type !== "string") {
      this.faults.add("data is neither a JSON object with a type nor [DONE]");
      return;
    }
    this.#events.push(event);
    this.faults.unless(name === event.type, `event line is ${name}, type is ${event.type}`);
    this.#checkSequence(event);
    const late = this.#terminal !== null && !(this.#extended && event.type === "response.done");
    if (!this.faults.unless(!late, `${event.type} after the terminal event`)) return;
    this.#checkPlace(event.type);
    this.#dispatch(event.type, event);
    this.#previous = event.type;
  }

  end(): Omit<ResponsesStream, "comments"> {
    this.faults.unless(this.#closings.done > 0, "no [DONE]");
    this.faults.unless(this.#closings.done < 2, "two [DONE]");
    this.faults.unless(this.#terminal !== null, "no terminal event");
    if (this.#extended) this.faults.unless(this.#closings.responseDone === 1, "not exactly one response.done");
    const terminal = this.#terminal;
    return {
      faults: this.faults.list,
      items: this.#items.done,
      open: this.#items.open,
      terminal,
      events: this.#events,
      ...foldItems(this.#items.streamed),
      finish: typeof terminal?.status === "string" ? terminal.status : null,
      ended: endedOfResponse(terminal),
      usage: isObject(terminal?.usage) ? checkResponsesUsage(terminal.usage, this.faults) : null,
      error: this.#error,
    };
  }

  #checkSequence(event: JsonObject): void {
    const { sequence_number: sequence } = event;
    if (typeof sequence !== "number") {
      this.faults.add(`${event.type}: no sequence_number`);
      this.#sequence++;
      return;
    }
    this.faults.unless(sequence === this.#sequence, `sequence_number is ${sequence}, not ${this.#sequence}`);
    this.#sequence = sequence + 1;
  }

  #checkPlace(type: string): void {
    const count = this.#events.length;
    if (count === 1) this.faults.unless(type === "response.created", "the first event is not response.created");
    else this.faults.unless(type !== "response.created", "response.created comes again");
    const second = count !== 2 || type === "response.in_progress";
    this.faults.unless(second, "the second event is not response.in_progress");
    // A failure is told twice, because some clients read only one of the two; nothing may come between.
    const told = this.#previous !== "error" || type === "response.failed";
    this.faults.unless(told, "the error is not followed by response.failed");
  }

  #dispatch(type: string, event: JsonObject): void {
    if (type === "error") this.#readError(event);
    else if (lifecycle.has(type)) this.#readLifecycle(type, event);
    else if (this.#extended && type === "response.done") this.#readResponseDone(event);
    else if (!this.#items.read(type, event, this.#previous)) this.faults.add(`${type} is not an event of the profile`);
  }

  #readError(event: JsonObject): void {
    const nested = checkErrorBody(event.error, "the error event's error", this.faults);
    const flat = ["message", "param", "code"].filter((key) => !(key in event));
    for (const key of flat) this.faults.add(`the error event lacks ${key} at the top level`);
    if (nested && flat.length === 0) {
      const same = event.message === nested.message && event.param === nested.param && event.code === nested.code;
      this.faults.unless(same, "the error event says one thing at the top and another inside");
    }
    this.#error = nested;
  }

  #readLifecycle(type: string, event: JsonObject): void {
    const { response } = event;
    if (!checkResponseObject(response, type, this.faults)) return;
    this.#first ??= response;
    for (const key of ["id", "created_at", "model"]) {
      this.faults.unless(response[key] === this.#first[key], `response.${key} changes`);
    }
    const status = type === "response.created" ? "in_progress" : type.slice("response.".length);
    const queued = type === "response.created" && response.status === "queued";
    this.faults.unless(response.status === status || queued, `${type}: status is ${response.status}`);
    if (type === "response.created")
      this.faults.unless(objectsOf(response.output).length === 0, `${type}: output is not empty`);
    if (terminals.has(type)) this.#readTerminal(type, response);
  }

  #readTerminal(type: string, response: JsonObject): void {
    this.#terminal = response;
    const output = objectsOf(response.output);
    const { open, done } = this.#items;
    // Only a call may be left open, because a client runs what is done; whatever else was begun is closed.
    if (type === "response.completed")
      this.faults.unless(open === null, "response.completed though an item is not done");
    if (type === "response.incomplete") {
      this.faults.unless(open === null || isCallItem(open), `response.incomplete though a ${open?.type} is not done`);
    }
    if (output.some((item) => isCallItem(item) && !done.some((other) => other.id === item.id))) {
      this.faults.add("a call that is not done in the terminal output");
    } else if (type === "response.failed") {
      const known = output.every(
        (item) => item.id === open?.id || done.some((other) => isDeepStrictEqual(item, other)),
      );
      this.faults.unless(known, "the terminal output has an item that the stream does not have");
    } else this.faults.unless(isDeepStrictEqual(output, done), "the terminal output is not the items that were done");
    if (
      type === "response.failed" &&
      this.faults.unless(this.#previous === "error", "response.failed without an error event")
    ) {
      const inside = isObject(response.error) ? response.error.message : undefined;
      this.faults.unless(
        !this.#error || inside === this.#error.message,
        "response.failed has another message than the error event",
      );
    }
  }

  #readResponseDone(event: JsonObject): void {
    this.#closings.responseDone++;
    this.faults.unless(this.#terminal !== null, "response.done before the terminal event");
    this.faults.unless(
      this.#terminal === null || isDeepStrictEqual(event.response, this.#terminal),
      "response.done has another response than the terminal event",
    );
  }
}

/** The content of items, as a client that collects them has it. */
export function foldItems(
  items: readonly JsonObject[],
): Pick<Folded, "text" | "reasoning" | "refusal" | "annotations" | "calls"> {
  const parts = items.filter((item) => item.type === "message").flatMap((item) => objectsOf(item.content));
  const summaries = items.filter((item) => item.type === "reasoning").flatMap((item) => objectsOf(item.summary));
  const join = (from: JsonObject[], key: string) => from.map((part) => String(part[key] ?? "")).join("");
  return {
    text: join(parts, "text"),
    refusal: join(parts, "refusal"),
    reasoning: join(summaries, "text"),
    annotations: parts.flatMap((part) => objectsOf(part.annotations)).map(flatAnnotation),
    calls: items.filter(isCallItem).map((item) => ({
      id: String(item.call_id),
      name: String(item.name),
      arguments: String(item.arguments ?? item.input),
      kind: item.type === "function_call" ? "function" : "custom",
    })),
  };
}

export function endedOfResponse(response: JsonObject | null): Ended {
  if (response?.status === "completed" || response?.status === "failed") return response.status;
  if (response?.status !== "incomplete" || !isObject(response.incomplete_details)) return "none";
  return response.incomplete_details.reason === "content_filter" ? "content_filter" : "length";
}
