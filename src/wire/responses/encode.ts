import type { Encoder, ErrorBody, Ids, TurnEvent, TurnFinished, Usage } from "../../turn/index.ts";
import { errorEnvelope } from "../envelope.ts";
import type { ResponsesRequest } from "./decode.ts";
import { type Emitter, ExtendedEmitter, OpenAIEmitter, silentEmitter } from "./emitter.ts";
import { ResponseOutput } from "./output.ts";
import { responseId } from "./response-id.ts";
import { createResponseWriter, type ResponseState } from "./response-object.ts";

export type Profile = "openai" | "extended";

export interface ResponsesAnswer {
  request: ResponsesRequest;
  /** The model's name as the client knows it. */
  model: string;
  /** Seconds, as the API counts. */
  now: () => number;
  ids: Ids;
  profile: Profile;
}

/** A Responses answer: a stream by a profile's emitter, or one object when nobody hears the emitter. */
export class ResponsesEncoder implements Encoder {
  readonly streams: boolean;
  readonly #answer: ResponsesAnswer;
  readonly #emitter: Emitter;
  readonly #output: ResponseOutput;
  id: string | undefined;
  #write: (state: ResponseState) => string = notOpened;
  #usage: Usage | undefined;

  constructor(answer: ResponsesAnswer) {
    this.#answer = answer;
    this.streams = answer.request.turn.stream;
    this.#emitter = this.streams ? createEmitter(answer.profile) : silentEmitter;
    this.#output = new ResponseOutput(this.#emitter, answer.ids);
  }

  open(upstreamId?: string): string {
    const { request, model, now } = this.#answer;
    const id = responseId(upstreamId);
    this.id = id;
    this.#write = createResponseWriter(request, { id, model, createdAt: now() });
    if (!this.streams) return "";
    const response = this.#write({ status: "in_progress", output: [] });
    return this.#emitter.lifecycle("created", response) + this.#emitter.lifecycle("in_progress", response);
  }

  /** An event, not a comment: comments do not reset the idle timer of some clients. */
  keepAlive(): string {
    return this.#emitter.lifecycle("in_progress", this.#write({ status: "in_progress", output: this.#output.items }));
  }

  push(event: TurnEvent): string {
    switch (event.type) {
      case "usage.reported":
        this.#usage = event.usage;
        return "";
      case "turn.finished":
        return this.#finish(event);
      case "turn.failed":
        return this.#fail(event.error.body);
      default:
        return this.#output.push(event);
    }
  }

  #finish({ reason, endTurn }: TurnFinished): string {
    const closed = this.#output.close(reason === "stop" ? "completed" : "incomplete");
    const usage = this.#usage;
    const output = this.#output.items;
    if (reason === "stop") {
      const response = this.#write({ status: "completed", output, usage, completedAt: this.#answer.now(), endTurn });
      return this.#end(closed, "completed", response);
    }
    const incompleteReason = reason === "length" ? "max_output_tokens" : "content_filter";
    return this.#end(closed, "incomplete", this.#write({ status: "incomplete", output, usage, incompleteReason }));
  }

  #fail(error: ErrorBody): string {
    if (!this.streams) return errorEnvelope(error);
    const told = this.#emitter.error(error);
    const response = this.#write({ status: "failed", output: this.#output.items, usage: this.#usage, error });
    return this.#end(told, "failed", response);
  }

  #end(before: string, type: "completed" | "incomplete" | "failed", response: string): string {
    if (!this.streams) return response;
    return before + this.#emitter.lifecycle(type, response) + this.#emitter.end(response);
  }
}

function notOpened(): never {
  throw new Error("a response is opened before anything is written of it");
}

function createEmitter(profile: Profile): Emitter {
  return profile === "extended" ? new ExtendedEmitter() : new OpenAIEmitter();
}
