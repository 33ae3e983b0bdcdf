import { isPortableId, TurnError } from "../turn/index.ts";

/** No configuration has more models; clients may name any. */
const mostModels = 1_000;

/** Mistral's models, wherever they are served, and its own service. */
const mistralNames = /mi[sx]tral|ministral|magistral|codestral|devstral|pixtral|voxtral/i;
const openAIHosts = /(?:^|\.)openai(?:\.azure)?\.com$/;
const shortId = /^[A-Za-z0-9]{9}$/;
/** "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9." */
const wantsNine = /tool[ _]?call[ _]?id.*length of 9/is;
/** How the templates of open models say it: those of Gemma and older ones of Mistral's, then those of Qwen, then Mistral's own service. */
const wantsTurns =
  /roles must alternate|system message must be (?:at )?the (?:beginning|first)|unexpected role .?(?:system|user)/i;
const wantsNoSystem = /system role (?:is )?not supported|only user(?:,| and) assistant roles/i;

/** any: as they come. in turn: one system message before all others, and nobody speaks twice in a row. without system: nor that one. */
export type MessageOrder = "any" | "in turn" | "without system";

/** What a service's models were seen to do, where no documentation tells it for all of them. */
export class Habits {
  readonly #mistral: boolean;
  readonly #shortIds = new Set<string>();
  readonly #thinking = new Set<string>();
  readonly #orders = new Map<string, MessageOrder>();

  /** Of those that speak Chat Completions, OpenAI alone is known to have tools that take free text. */
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

  messageOrder(model: string): MessageOrder {
    return this.#orders.get(model) ?? "any";
  }

  thinks(model: string): boolean {
    return this.#thinking.has(model);
  }

  sawThinking(model: string): void {
    remember(this.#thinking, model);
  }

  /** What can be done about a refusal; the error says whether the same turn is worth another attempt now. */
  learnFrom(error: unknown, model: string): unknown {
    if (!(error instanceof TurnError) || !(this.#learnsIds(error, model) || this.#learnsOrder(error, model)))
      return error;
    const { code, message, status, body, quotes } = error;
    const { type, param, code: upstreamCode } = body;
    return new TurnError(code, message, { status, type, param: param ?? undefined, upstreamCode, again: true, quotes });
  }

  #learnsIds({ code, message }: TurnError, model: string): boolean {
    if (code !== "upstream_rejected" || !wantsNine.test(message) || this.#shortIds.has(model)) return false;
    remember(this.#shortIds, model);
    return true;
  }

  /** A template's complaint is a 500 with some servers. */
  #learnsOrder({ code, message }: TurnError, model: string): boolean {
    if (code !== "upstream_rejected" && code !== "upstream_error") return false;
    const known = this.messageOrder(model);
    const order = wantsNoSystem.test(message) ? "without system" : wantsTurns.test(message) ? "in turn" : known;
    if (order === known || known === "without system" || this.#orders.size >= mostModels) return false;
    this.#orders.set(model, order);
    return true;
  }
}

function remember(models: Set<string>, model: string): void {
  if (models.size < mostModels) models.add(model);
}
