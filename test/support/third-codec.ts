import {
  asObject,
  type CallItem,
  type Encoder,
  type Item,
  type JsonObject,
  type JsonValue,
  optionalArray,
  optionalBoolean,
  optionalObject,
  optionalString,
  parseJson,
  requiredString,
  type TurnEnding,
  type TurnEvent,
  wrong,
} from "../../src/turn/index.ts";
import type { AnswerOptions, ClientRequest, Codec, RequestLimits } from "../../src/wire/index.ts";
import { checkToolOutputs } from "../../src/wire/tool-outputs.ts";

/**
 * A made-up client API, given to a gateway in `GatewayParts.codecs` beside the real ones.
 *
 * `POST /talk` with `{ model, stream, said: [{ by, text }, { by: "model", want }, { by: "tool", ref, text }], abilities }` is answered
 * with `{ talk, said, wants: [{ ref, ability, input }], ended, tokens }`. A stream has frames `{ say }` and `{ want }`, and the same
 * object last.
 */
export const talkCodec: Codec = {
  name: "talk",
  routes: [{ path: "/talk" }],
  keyHeaders: ["x-talk-key"],
  answerId: { prefix: "talk", separator: "-" },
  decode: decodeTalk,
  createEncoder: (_request, options) => new TalkEncoder(options),
  errorBody: ({ message, code, param }) => JSON.stringify({ trouble: { what: message, why: code, where: param } }),
};

function decodeTalk(body: JsonObject, limits: RequestLimits): ClientRequest {
  const said = optionalArray(body, "said");
  if (!said) throw wrong("said", "a list of what was said", body.said);
  const outputs = { list: "said", output: "text", isOutput: ({ by }: JsonObject) => by === "tool" };
  checkToolOutputs(body, outputs, limits.toolOutput);
  const input = said.map((entry, at) => readSaid(asObject(entry, `said[${at}]`), `said[${at}]`));
  return {
    turn: {
      api: "talk",
      model: optionalString(body, "model") ?? "",
      stream: optionalBoolean(body, "stream") ?? false,
      input,
      inputParam: "said",
      tools: (optionalArray(body, "abilities") ?? []).map((ability, at) => {
        const path = `abilities[${at}]`;
        const { takes, ...rest } = asObject(ability, path);
        const parameters = takes === undefined ? undefined : asObject(takes, `${path}.takes`);
        return { type: "function", name: requiredString(rest, "name", path), parameters };
      }),
      choice: { mode: "auto" },
      settings: {},
      parameters: {},
    },
    keeps: false,
    references: [],
    namesCalls: true,
    schemaPath: (tool) => `${tool.replace("tools", "abilities")}.takes`,
  };
}

function readSaid(entry: JsonObject, path: string): Item {
  const by = requiredString(entry, "by", path);
  const want = optionalObject(entry, "want", path);
  if (want) {
    const [callId, name] = [requiredString(want, "ref", path), requiredString(want, "ability", path)];
    return { type: "call", kind: "function", callId, name, arguments: JSON.stringify(want.input) };
  }
  const text = requiredString(entry, "text", path);
  if (by === "tool")
    return { type: "output", kind: "function", callId: requiredString(entry, "ref", path), output: text };
  return { type: "message", role: by === "model" ? "assistant" : "user", content: [{ type: "text", text }] };
}

class TalkEncoder implements Encoder {
  readonly readsAnswer = true;
  readonly #options: AnswerOptions;

  constructor(options: AnswerOptions) {
    this.#options = options;
  }

  open(): void {}

  push(event: TurnEvent): void {
    const { current } = this.#options.answer;
    if (event.type === "text.delta") this.#frame({ say: event.text });
    if (event.type === "call.done" && isForClient(current)) this.#frame({ want: writeWant(current) });
  }

  keepAlive(): void {
    this.#options.sink.keepAlive();
  }

  end(ending: TurnEnding): void {
    const { id, answer, sink } = this.#options;
    if (ending.type === "turn.failed") sink.frame("", talkCodec.errorBody(ending.error.body));
    else {
      const wants = answer.items.filter(isForClient).map(writeWant);
      const ended = ending.reason !== "stop" ? "cut" : wants.length > 0 ? "waits" : "done";
      this.#frame({ talk: id, said: textOf(answer.items), wants, ended, tokens: ending.usage?.totalTokens ?? null });
    }
    sink.end();
  }

  #frame(json: JsonObject): void {
    this.#options.sink.frame("", JSON.stringify(json));
  }
}

/** The gateway's own calls are not shown to a client. */
function isForClient(item: Item | undefined): item is CallItem {
  return item?.type === "call" && item.owner !== "gateway";
}

function writeWant({ callId: ref, name: ability, arguments: text }: CallItem): JsonObject {
  return { ref, ability, input: parseJson(text) ?? null };
}

function textOf(items: readonly Item[]): JsonValue {
  const parts = items.flatMap((item) => (item.type === "message" ? item.content : []));
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
