import { isPortableId, TurnError } from "../turn/index.ts";

/** No configuration has more models; clients may name any. */
const mostModels = 1_000;

/** Mistral's models, wherever they are served, and its own service. */
const mistralNames = /mi[sx]tral|ministral|magistral|codestral|devstral|pixtral|voxtral/i;
const openAIHosts = /(?:^|\.)openai(?:\.azure)?\.com$/;
const shortId = /^[A-Za-z0-9]{9}$/;
/** "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9." */
const wantsNine = /tool[ _]?call[ _]?id.*length of 9/is;

/** What a service's models were seen to do, where no documentation tells it for all of them. */
export class Habits {
  readonly #mistral: boolean;
  readonly #shortIds = new Set<string>();
  readonly #thinking = new Set<string>();

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

  thinks(model: string): boolean {
    return this.#thinking.has(model);
  }

  sawThinking(model: string): void {
    remember(this.#thinking, model);
  }

  /** What can be done about a refusal; the error says whether the same turn is worth another attempt now. */
  learnFrom(error: unknown, model: string): unknown {
    if (!(error instanceof TurnError) || error.code !== "upstream_rejected") return error;
    if (!wantsNine.test(error.message) || this.#shortIds.has(model)) return error;
    remember(this.#shortIds, model);
    const { status, body, quotes } = error;
    return new TurnError("upstream_rejected", error.message, {
      status,
      type: body.type,
      param: body.param ?? undefined,
      upstreamCode: body.code,
      again: true,
      quotes,
    });
  }
}

function remember(models: Set<string>, model: string): void {
  if (models.size < mostModels) models.add(model);
}
