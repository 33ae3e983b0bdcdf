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
import type { AnswerOptions, ClientRequest, Codec } from "../../src/wire/index.ts";

/**
 * An API that no provider speaks, registered like the real ones: people and models say things, and models want things done.
 *
 * `POST /talk` with `{ model, stream, said: [{ by, text }, { by: "model", want }, { by: "tool", ref, text }], abilities }` is answered
 * with `{ talk, said, wants: [{ ref, ability, input }], ended, tokens }`; streamed with `{ say }`, `{ want }` and `{ ended, tokens }`.
 */
export const talkCodec: Codec = {
  name: "talk",
  routes: [{ path: "/talk" }],
  keyHeaders: ["x-talk-key"],
  answerId: { prefix: "talk", separator: "-", carriesUpstream: false },
  decode: decodeTalk,
  createEncoder: (_request, options) => new TalkEncoder(options),
  errorBody: ({ message, code, param }) => JSON.stringify({ trouble: { what: message, why: code, where: param } }),
};

function decodeTalk(body: JsonObject): ClientRequest {
  const said = optionalArray(body, "said");
  if (!said) throw wrong("said", "a list of what was said", body.said);
  return {
    turn: {
      api: "talk",
      model: optionalString(body, "model") ?? "",
      stream: optionalBoolean(body, "stream") ?? false,
      input: said.map((entry, at) => readSaid(asObject(entry, `said[${at}]`), `said[${at}]`)),
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
    if (event.type === "call.done" && current?.type === "call") this.#frame({ want: writeWant(current) });
  }

  keepAlive(): void {
    this.#options.sink.keepAlive();
  }

  /** A stream has said everything but the end; of an answer in one piece this is all. */
  end(ending: TurnEnding): void {
    const { id, answer, sink } = this.#options;
    if (ending.type === "turn.failed") sink.frame("", talkCodec.errorBody(ending.error.body));
    else {
      const wants = answer.items.filter((item) => item.type === "call").map(writeWant);
      const ended = ending.reason !== "stop" ? "cut" : wants.length > 0 ? "waits" : "done";
      this.#frame({ talk: id, said: textOf(answer.items), wants, ended, tokens: ending.usage?.totalTokens ?? null });
    }
    sink.end();
  }

  #frame(json: JsonObject): void {
    this.#options.sink.frame("", JSON.stringify(json));
  }
}

function writeWant({ callId: ref, name: ability, arguments: text }: CallItem): JsonObject {
  return { ref, ability, input: parseJson(text) ?? null };
}

function textOf(items: readonly Item[]): JsonValue {
  const parts = items.flatMap((item) => (item.type === "message" ? item.content : []));
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
