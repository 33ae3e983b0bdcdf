import type { NextRound, RoundResult, TurnSeams } from "../../src/engine/index.ts";
import type { RunningServer } from "../../src/http/server.ts";
import type { CallItem, JsonObject, Memory } from "../../src/turn/index.ts";
import type { Api } from "./api.ts";
import { objectsOf } from "./folded.ts";
import { type Answer, bothBackends, paths, requestFor, startGateway } from "./gateway.ts";
import { type Provider, type Reply, type Script, startProvider } from "./provider.ts";
import type { ToolWish, TurnWish } from "./requests.ts";

const apis: Api[] = ["chat", "responses"];

export const pairs = apis.flatMap((client) => apis.map((backend) => ({ client, backend })));
export const modes = pairs.flatMap((pair) =>
  [true, false].map((stream) => ({ ...pair, stream, mode: stream ? "stream" : "whole" })),
);

const parameters = { type: "object", properties: { place: { type: "string" } } };

/** `lookup` and `note` are run by the gateway, the others by the client. */
export const tools: ToolWish[] = [
  { name: "lookup", parameters },
  { name: "note", kind: "custom" },
  { name: "get_weather", parameters },
];
const ownTools = new Set(["lookup", "note"]);

export const lookup = { id: "call_same", name: "lookup", arguments: '{"place":"Rome"}' };
export const weather = { id: "call_same", name: "get_weather", arguments: '{"place":"Rome"}' };

export const firstRound: Reply = { say: "Let me look.", calls: [lookup], usage: { input: 10, output: 5 } };
export const secondRound: Reply = { say: "Here it is.", usage: { input: 30, output: 7 } };

/** The text of several rounds, as a client of the API has it in the end. */
export function textOf(api: Api, ...rounds: string[]): string {
  return rounds.join(api === "chat" ? "\n\n" : "");
}

/** Answers the requests for a model in this order; the last reply is repeated. */
export function inOrder(...replies: [Reply, ...Reply[]]): Script {
  return ({ count }) => replies[count - 1] ?? replies.at(-1) ?? replies[0];
}

/** Runs the gateway's own tools: each says what it was asked. The turn is over when a round has called none of them. */
export const runTools: TurnSeams = {
  ownerOf: ({ name }) => (ownTools.has(name) ? "gateway" : "client"),
  nextRound: async (result) => outputsFor(result),
};

export function outputsFor({ calls }: RoundResult): NextRound | undefined {
  const own = calls.filter(({ owner }) => owner === "gateway");
  return own.length === 0 ? undefined : { outputs: own.map(outputOf) };
}

function outputOf({ kind, callId, name, arguments: text }: CallItem): NextRound["outputs"][number] {
  return { type: "output.done", kind, callId, output: `${name} of ${text}` };
}

/** A gateway that runs tools, and the provider behind it. */
export interface Rounds {
  provider: Provider;
  gateway: RunningServer;
}

export interface RoundsOptions {
  seams?: TurnSeams;
  /** Of both backends. */
  backend?: JsonObject;
  config?: JsonObject;
  memory?: Memory;
}

export async function startRounds(script: Script, options: RoundsOptions = {}): Promise<Rounds> {
  const { seams = runTools, backend, config, memory } = options;
  const provider = await startProvider(script);
  const gateway = await startGateway(
    { ...bothBackends(provider, backend), ...config },
    { seams: () => seams, ...(memory && { memory }) },
  );
  return { provider, gateway };
}

export async function closeRounds(rounds: Rounds | undefined): Promise<void> {
  await rounds?.gateway.close();
  await rounds?.provider.close();
}

/** The events of an answer that end it: a client must see one. */
export function endsOf({ api, events, streamed, raw }: Answer): string[] {
  if (!streamed) return ["body"];
  if (api === "responses") {
    return events
      .map(({ type }) => String(type))
      .filter((type) => /^response\.(completed|incomplete|failed)$/.test(type));
  }
  const finishes = events.flatMap(({ choices }) => objectsOf(choices)).map((choice) => choice.finish_reason ?? null);
  const failures = events.filter((event) => "error" in event).map(() => "error");
  const done = raw
    .split("data: [DONE]")
    .slice(1)
    .map(() => "[DONE]");
  return [...finishes.filter((finish) => finish !== null).map(String), ...failures, ...done];
}

/** A promise, and what settles it. */
export interface Gate<T = void> {
  passed: Promise<T>;
  open(value: T): void;
}

export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => {};
  const passed = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** An answer that is read as it comes, by a client that may leave. */
export class LiveStream {
  text = "";
  readonly #body: AsyncIterator<Uint8Array>;
  readonly #decoder = new TextDecoder();

  constructor({ body }: Response) {
    if (!body) throw new Error("The answer has no body.");
    this.#body = body[Symbol.asyncIterator]();
  }

  /** Reads on until the pattern stands in what has come. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) {
      if (!(await this.#read())) throw new Error(`The answer ended without ${pattern}: ${this.text}`);
    }
  }

  async rest(): Promise<string> {
    const before = this.text.length;
    while (await this.#read());
    return this.text.slice(before);
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#body.next();
    if (value) this.text += this.#decoder.decode(value, { stream: true });
    return done !== true;
  }
}

/** Sends a request as `ask` does, and leaves the answer to the caller. */
export function send(
  { gateway }: Rounds,
  api: Api,
  wish: TurnWish,
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(`${gateway.url}${paths[api]}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(requestFor(api, { tools, ...wish })),
    signal,
  });
}

/** The stream has told this many times that the turn goes on. */
export function keepAlives(api: Api, count: number): RegExp {
  // A Responses stream begins with such an event.
  return api === "chat"
    ? new RegExp(`(?:: keep-alive[^]*){${count}}`)
    : new RegExp(`(?:event: response\\.in_progress[^]*){${count + 1}}`);
}

export const streamEnd = /finish_reason":"|event: response\.(?:completed|incomplete|failed)|\[DONE\]/;
