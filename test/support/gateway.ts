import { tmpdir } from "node:os";
import { toConfig } from "../../src/config/index.ts";
import type { GatewayParts } from "../../src/gateway/index.ts";
import { parts as builtIn } from "../../src/gateway/parts.ts";
import { type RunningServer, startServer } from "../../src/http/server.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../src/turn/index.ts";
import type { Api } from "./api.ts";
import { checkChatStream } from "./chat-stream.ts";
import type { Folded } from "./folded.ts";
import type { Provider } from "./provider.ts";
import { checkResponsesStream } from "./responses-stream.ts";
import { checkChatWhole, checkErrorWhole, checkResponsesWhole } from "./whole.ts";

export { followUp, requestFor, type ToolWish, type TurnWish } from "./requests.ts";

/** The real server, in this process, on a port of its own. The configuration is a plain object as a file would have it. */
export function startGateway(config: JsonObject = {}, parts: GatewayParts = {}): Promise<RunningServer> {
  const options = {
    ...builtIn,
    environment: {},
    directory: tmpdir(),
    listen: { host: "127.0.0.1", port: 0 },
  };
  return startServer(toConfig({ log: { level: "silent" }, store: { url: "memory:" }, ...config }, options), parts);
}

/**
 * One provider behind both kinds of backend: its models are `chat/NAME` and `responses/NAME`. Unless said, a failure is final
 * and has no consequences, so that tests of failures are quick and do not disturb one another.
 */
export function bothBackends({ url }: Provider, more: JsonObject = {}): JsonObject {
  const alone = { retries: 0, breaker: { failures: 1_000_000 } };
  const backend = (kind: Api) => ({ kind, base_url: url, api_key: "provider-secret", ...alone, ...more });
  return { backends: { chat: backend("chat"), responses: backend("responses") } };
}

/** A turn as a client has it, checked. */
export interface Answer extends Folded {
  api: Api;
  status: number;
  headers: Headers;
  raw: string;
  streamed: boolean;
  /** The whole body, or the response of a Responses stream's terminal event. */
  json: JsonValue | null;
  /** The payloads of a stream. */
  events: JsonObject[];
  /** The output of a response. */
  items: JsonObject[];
  functionCall: { name: string; arguments: string } | null;
  faults: string[];
}

export interface AskOptions {
  /** throw, unless said: no test may overlook a fault of form. */
  faults?: "throw" | "keep";
  /** The scene is one where arguments that are not JSON are passed on as they are. */
  rawArguments?: boolean;
  /** The provider says nothing about usage. */
  usageUnknown?: boolean;
  /** Keys of a Chat delta that the provider has of its own. */
  foreignKeys?: string[];
  profile?: "openai" | "extended";
  signal?: AbortSignal;
}

export const paths: Record<Api, string> = { chat: "/v1/chat/completions", responses: "/v1/responses" };

/** Sends a request and reads the answer as the strictest of clients does. Throws when the answer has a fault of form. */
export async function ask(
  gateway: { url: string },
  api: Api,
  body: JsonObject,
  headers: Record<string, string> = {},
  options: AskOptions = {},
): Promise<Answer> {
  const response = await fetch(`${gateway.url}${paths[api]}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    ...(options.signal && { signal: options.signal }),
  });
  const { text: raw, broken } = await readBody(response);
  const type = response.headers.get("content-type") ?? "";
  const streamed = type.startsWith("text/event-stream");
  const read: AskOptions = {
    profile: headers["x-toolwire-profile"] === "extended" ? "extended" : "openai",
    ...options,
  };
  const answer: Answer = {
    ...{ api, status: response.status, headers: response.headers, raw, streamed },
    ...(streamed ? readStream(api, raw, body, read) : readWhole(api, raw, response.status, read)),
  };
  if (broken) answer.faults.push("the body is broken off");
  if (response.ok && streamed !== (body.stream === true))
    answer.faults.push(`stream is ${body.stream}, type is ${type}`);
  if (options.faults !== "keep" && answer.faults.length > 0) throw new AnswerFaults(answer);
  return answer;
}

/** An answer that no strict client would take. */
export class AnswerFaults extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`${answer.api}, status ${answer.status}: ${answer.faults.join("; ")}\n${answer.raw.slice(0, 4000)}`);
    this.name = "AnswerFaults";
    this.answer = answer;
  }
}

type Read = Omit<Answer, "api" | "status" | "headers" | "raw" | "streamed">;

function readStream(api: Api, raw: string, body: JsonObject, options: AskOptions): Read {
  if (api === "responses") {
    const stream = checkResponsesStream(raw, options);
    return { ...stream, json: stream.terminal, functionCall: null };
  }
  const includeUsage = isObject(body.stream_options) && body.stream_options.include_usage === true;
  const stream = checkChatStream(raw, { ...options, includeUsage });
  return { ...stream, json: null, events: stream.chunks, items: [] };
}

function readWhole(api: Api, raw: string, status: number, options: AskOptions): Read {
  const json = parseJson(raw) ?? null;
  const nothing = { json, events: [], items: [], functionCall: null };
  if (status >= 400) return { ...nothing, ...checkErrorWhole(json) };
  return { ...nothing, ...(api === "chat" ? checkChatWhole(json, options) : checkResponsesWhole(json, options)) };
}

async function readBody(response: Response): Promise<{ text: string; broken: boolean }> {
  const pieces: Uint8Array[] = [];
  let broken = false;
  try {
    for await (const piece of response.body ?? []) pieces.push(piece as Uint8Array);
  } catch {
    broken = true;
  }
  return { text: Buffer.concat(pieces).toString("utf8"), broken };
}
