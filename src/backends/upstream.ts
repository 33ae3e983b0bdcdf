import { Agent } from "undici";
import { type BackendRound, isObject, parseJson } from "../turn/index.ts";
import type { AnswerReader } from "./answer-body.ts";
import { Exchange } from "./exchange.ts";
import { invalidAnswer, type Redact } from "./upstream-errors.ts";

export interface UpstreamOptions {
  /** The backend's name in the configuration, for messages. */
  name: string;
  baseUrl: string;
  apiKey?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds. */
  timeouts: { connect: number; first_content: number; idle: number; total: number };
  redact: Redact;
}

/** JSON. A large request is bytes: to make them of a string takes long. */
export type RequestText = string | Buffer;

export interface UpstreamRequest {
  path: string;
  body: RequestText;
  /** Whether it asks for a stream. */
  streams: boolean;
  /** Headers of this request. A configured header of the same name takes precedence. */
  headers?: Readonly<Record<string, string>> | undefined;
}

const listTimeout = 3_000;
const largestList = 4 * 1024 * 1024;
/** A longer list is of no use to anybody, and no model has a longer id. */
const mostModels = 10_000;
const longestModelId = 512;

/** A provider's API over HTTP: one connection pool, one request per round, data pushed as it arrives. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #agent: Agent;
  readonly #origin: string;
  readonly #path: string;
  readonly #headers: Record<string, string>;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#agent = new Agent({ connect: { timeout: options.timeouts.connect } });
    const url = new URL(options.baseUrl);
    this.#origin = url.origin;
    this.#path = url.pathname.replace(/\/$/, "");
    this.#headers = {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      "user-agent": "toolwire",
      ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }),
      ...lowerCased(options.headers),
    };
  }

  post({ path, body, streams, headers }: UpstreamRequest, round: BackendRound, reader: AnswerReader): Promise<void> {
    const { name, timeouts, redact } = this.#options;
    return new Promise((resolve, reject) => {
      const exchange = new Exchange({ name, round, reader, redact, resolve, reject, streams });
      this.#agent.dispatch(
        {
          origin: this.#origin,
          path: this.#path + path,
          method: "POST",
          headers: headers ? { ...headers, ...this.#headers } : this.#headers,
          body,
          headersTimeout: timeouts.first_content,
          bodyTimeout: timeouts.idle,
        },
        exchange,
      );
    });
  }

  /** The ids in the provider's `/models`; none without a valid list. Rejects if the provider does not answer soon. */
  async models(): Promise<string[]> {
    const { body, statusCode } = await this.#agent.request({
      origin: this.#origin,
      path: `${this.#path}/models`,
      method: "GET",
      headers: this.#headers,
      headersTimeout: listTimeout,
      bodyTimeout: listTimeout,
      signal: AbortSignal.timeout(listTimeout),
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > largestList) throw invalidAnswer(this.#options.name, "a list of models that is too large");
      chunks.push(chunk);
    }
    const list = statusCode === 200 ? parseJson(decoder.decode(Buffer.concat(chunks))) : undefined;
    if (!isObject(list) || !Array.isArray(list.data)) return [];
    const ids = list.data
      .slice(0, mostModels)
      .flatMap((model) => (isObject(model) && typeof model.id === "string" ? [model.id] : []));
    return ids.filter((id) => id.length <= longestModelId);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Header names are case-insensitive: two spellings must not become two headers. */
function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Drops the byte order mark that some servers write before JSON, which does not allow one. */
const decoder = new TextDecoder();
