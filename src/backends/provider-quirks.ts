import { compactId, isPortableId, isRefusal, quotesOthers, TurnError } from "../turn/index.ts";

/** No configuration has more models, but clients may name any. */
const mostModels = 1_000;

/** Mistral's models on any host, and Mistral's own service. */
const mistralNames = /mi[sx]tral|ministral|magistral|codestral|devstral|pixtral|voxtral/i;
const openAIHosts = /(?:^|\.)openai(?:\.azure)?\.com$/;
const shortId = /^[A-Za-z0-9]{9}$/;
/** "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9." */
const wantsNine = [/tool[ _]?call[ _]?id/i, /length of 9/gi] as const;
/** Error messages of chat templates: Gemma's and older ones of Mistral's, then Qwen's, then Mistral's own service. */
const wantsAlternation =
  /roles must alternate|system message must be (?:at )?the (?:beginning|first)|unexpected role .?system/i;
const wantsNoSystem = /system role (?:is )?not supported|only user(?:,| and) assistant roles/i;

/** How providers report that they cannot decrypt reasoning: by a code, or only in the message. */
const cannotDecrypt = "invalid_encrypted_content";
const unverified = [/encrypted content/i, /could not be verified/gi] as const;

/** What a provider says: one phrase, or a first and a last one with anything between them. */
type Words = RegExp | readonly [first: RegExp, last: RegExp];

/** One expression for two phrases would look for the last after every occurrence of the first, which takes quadratic time. */
function phraseIn(message: string, words: Words): string | undefined {
  if (words instanceof RegExp) return words.exec(message)?.[0];
  const start = message.search(words[0]);
  const last = start === -1 ? undefined : [...message.slice(start).matchAll(words[1])].at(-1);
  return last && message.slice(start, start + last.index + last[0].length);
}

/** Whether a provider refuses the request because it cannot read the encrypted reasoning in it. */
export function refusesSealedReasoning({ code, body, message }: TurnError): boolean {
  return code === "upstream_rejected" && (body.code === cannotDecrypt || phraseIn(message, unverified) !== undefined);
}

/** any: no constraint. in turn: one system message first, and no role twice in a row. without system: also no system message. */
export type MessageOrder = "any" | "in turn" | "without system";

/** The request that a provider refused. */
export interface RefusedRequest {
  model: string;
  /** In lower case; only read if `mayTeach` is true. */
  body: string;
  /** Whether the API's messages can be written in another order. */
  ordersMessages: boolean;
}

/** Observed behaviour of a service's models that no documentation describes for all of them. */
export class ProviderQuirks {
  readonly #mistral: boolean;
  readonly #shortIds = new Set<string>();
  readonly #thinking = new Set<string>();
  readonly #orders = new Map<string, MessageOrder>();
  /** Orders that are being tried, and models for which the tried order failed. */
  readonly #tried = new Map<string, MessageOrder>();
  readonly #failedOrders = new Set<string>();

  /** Of the Chat Completions providers, only OpenAI is known to support tools that take free text. */
  readonly takesCustomTools: boolean;

  constructor(baseUrl: string) {
    const { hostname } = new URL(baseUrl);
    this.#mistral = mistralNames.test(hostname);
    this.takesCustomTools = openAIHosts.test(hostname);
  }

  takesCallId(id: string, model: string): boolean {
    const short = this.#mistral || mistralNames.test(model) || this.#shortIds.has(model);
    return short ? shortId.test(id) : isPortableId(id);
  }

  callIdFor(id: string, model: string): string {
    return this.takesCallId(id, model) ? id : compactId(id);
  }

  messageOrder(model: string): MessageOrder {
    return this.#tried.get(model) ?? this.#orders.get(model) ?? "any";
  }

  thinks(model: string): boolean {
    return this.#thinking.has(model);
  }

  sawThinking(model: string): void {
    remember(this.#thinking, model);
  }

  /** The model has answered, so the order that was tried is right. */
  worked(model: string): void {
    const order = this.#tried.get(model);
    if (order === undefined) return;
    this.#tried.delete(model);
    this.#orders.set(model, order);
  }

  /** Whether `learnFrom` needs the body of the request. */
  mayTeach(error: unknown): boolean {
    if (!(error instanceof TurnError) || !isRefusal(error)) return false;
    return [wantsNine, wantsNoSystem, wantsAlternation].some((words) => phraseIn(error.message, words) !== undefined);
  }

  /**
   * Learns from a refusal what the model requires. The returned error has the remedy `rewrite` if the same turn would now be
   * written in another form. Text that also occurs in the request is ignored, because the provider may only quote it.
   */
  learnFrom(error: unknown, { model, body, ordersMessages }: RefusedRequest): unknown {
    if (!(error instanceof TurnError) || !isRefusal(error)) return error;
    const isOwn = (words: Words) => {
      const said = phraseIn(error.message, words);
      return said !== undefined && !body.includes(said.toLowerCase());
    };
    const learns = this.#learnsIds(error, model, isOwn) || (ordersMessages && this.#learnsOrder(error, model, isOwn));
    if (!learns) return error;
    const { code, message, status, body: errorBody } = error;
    const { type, param, code: upstreamCode } = errorBody;
    return new TurnError(code, message, {
      status,
      type,
      param: param ?? undefined,
      upstreamCode,
      failure: { by: "backend", phase: "refusal", remedy: "rewrite", quotes: quotesOthers(error) },
    });
  }

  #learnsIds({ code }: TurnError, model: string, says: (words: Words) => boolean): boolean {
    if (code !== "upstream_rejected" || this.#shortIds.has(model) || !says(wantsNine)) return false;
    remember(this.#shortIds, model);
    return true;
  }

  /** Some servers report a template's error with status 500. */
  #learnsOrder({ code }: TurnError, model: string, says: (words: Words) => boolean): boolean {
    if (code !== "upstream_rejected" && code !== "upstream_error") return false;
    const known = this.messageOrder(model);
    const order = says(wantsNoSystem) ? "without system" : says(wantsAlternation) ? "in turn" : undefined;
    if (order === undefined) return false;
    const isNew = order !== known && known !== "without system" && !this.#failedOrders.has(model);
    if (this.#tried.delete(model) && !isNew) remember(this.#failedOrders, model);
    if (!isNew || this.#orders.size >= mostModels || this.#tried.size >= mostModels) return false;
    this.#tried.set(model, order);
    return true;
  }
}

function remember(models: Set<string>, model: string): void {
  if (models.size < mostModels) models.add(model);
}
