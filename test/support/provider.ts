import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import { answerLimits, type CallKind, isObject, type JsonObject, parseJson } from "../../src/turn/index.ts";
import type { Api } from "./api.ts";
import { chatChunks, chatWhole } from "./scripted-chat.ts";
import { responsesEvents, responsesWhole } from "./scripted-responses.ts";
import {
  byTurns,
  inSequence,
  piecesOf,
  type ScriptedFinish,
  type ScriptedItem,
  type ScriptedTurn,
  type ScriptedUsage,
} from "./scripted-turn.ts";

export { type ConversationEntry, conversation, type OfferedTool, offeredTools } from "./conversation.ts";

/** What a correct provider would answer, on either API. */
export interface TurnReply {
  say?: string;
  think?: string;
  refuse?: string;
  calls?: { id?: string; name: string; arguments: string; kind?: CallKind }[];
  /** In the flat form of the Responses API. */
  annotations?: JsonObject[];
  usage?: ScriptedUsage | null;
  finish?: ScriptedFinish | null;
  /** Characters a piece. */
  chunk?: number;
  /** Mixes the pieces of the calls. */
  interleave?: boolean;
  /** Milliseconds between pieces. */
  pieceDelay?: number;
}

/** Payloads of events, correct or not. */
export interface ChunksReply {
  chunks: unknown[];
  /** Whether `[DONE]` follows; true unless said. */
  done?: boolean;
  pieceDelay?: number;
}

/** The body's bytes. `cut` resets the connection, `hang` leaves it open. */
export interface BytesReply {
  bytes: (string | Uint8Array | { wait: number } | "cut" | "hang")[];
  headers?: Record<string, string>;
}

/** A JSON body, whether or not a stream was asked for. */
export interface WholeReply {
  whole: unknown;
}

export interface StatusReply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export type Reply = TurnReply | ChunksReply | BytesReply | WholeReply | StatusReply;

export interface ScriptRequest {
  api: Api;
  model: string;
  body: JsonObject;
  headers: IncomingHttpHeaders;
  /** The how-manieth request for this model it is, from 1. */
  count: number;
}

export type Script = (request: ScriptRequest) => Reply | Promise<Reply>;

export interface ProviderRequest {
  api: Api;
  path: string;
  headers: IncomingHttpHeaders;
  body: JsonObject;
  /** The other side left before the answer was whole. */
  closedEarly: boolean;
  /** `performance.now()` of that. */
  closedAt: number | null;
}

export interface Provider {
  /** What a configuration has as `base_url`. */
  url: string;
  requests: ProviderRequest[];
  requestsOf(model: string): ProviderRequest[];
  close(): Promise<void>;
}

/** A model provider on loopback that answers as the script says. */
export async function startProvider(script: Script): Promise<Provider> {
  const requests: ProviderRequest[] = [];
  const requestsOf = (model: string) => requests.filter(({ body }) => body.model === model);
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const path = incoming.url ?? "/";
    if (incoming.method === "GET" && path.endsWith("/models")) return sendJson(outgoing, 200, listOfModels);
    const api = path.endsWith("/responses") ? "responses" : path.endsWith("/chat/completions") ? "chat" : undefined;
    const body = parseJson(await textOf(incoming), answerLimits);
    if (!api || !isObject(body)) return sendJson(outgoing, api ? 400 : 404, problem("Not a request of this provider."));
    const { headers } = incoming;
    const record: ProviderRequest = { api, path, headers, body, closedEarly: false, closedAt: null };
    requests.push(record);
    outgoing.on("close", () => {
      if (outgoing.writableFinished || cut.has(outgoing)) return;
      record.closedEarly = true;
      record.closedAt = performance.now();
    });
    const model = String(body.model);
    await answer(outgoing, record, await script({ api, model, body, headers, count: requestsOf(model).length }));
  };
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) => {
      if (!outgoing.headersSent) sendJson(outgoing, 500, problem(`The script failed: ${String(error)}`));
      else outgoing.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    requestsOf,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A Responses stream of these items, each whole as soon as it is added. */
export function itemsReply(output: readonly JsonObject[]): ChunksReply {
  return {
    chunks: [
      { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
      ...output.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item },
        { type: "response.output_item.done", output_index, item },
      ]),
      { type: "response.completed", response: { id: "resp_1", status: "completed", output } },
    ],
  };
}

/** The whole of a stream of either API, an event an entry. */
export function sseFrames(api: Api, payloads: readonly unknown[], done = true): string[] {
  const frames = payloads.map((payload) => {
    const data = `data: ${JSON.stringify(payload)}\n\n`;
    return api === "responses" && isObject(payload) ? `event: ${String(payload.type)}\n${data}` : data;
  });
  return done ? [...frames, "data: [DONE]\n\n"] : frames;
}

/** Answers that the script broke off itself. */
const cut = new WeakSet<ServerResponse>();

const listOfModels = { object: "list", data: [{ id: "scripted", object: "model", created: 0, owned_by: "test" }] };

async function answer(outgoing: ServerResponse, { api, body }: ProviderRequest, reply: Reply): Promise<void> {
  if ("bytes" in reply) return sendBytes(outgoing, reply.bytes, { ...typeFor(body), ...reply.headers });
  if ("chunks" in reply) return sendStream(outgoing, api, reply.chunks, reply.done, reply.pieceDelay);
  if ("whole" in reply) return sendJson(outgoing, 200, reply.whole);
  if ("status" in reply) {
    return sendJson(outgoing, reply.status, reply.body ?? problem("Scripted to fail."), reply.headers);
  }
  const turn = turnOf(reply);
  const model = String(body.model);
  if (body.stream !== true) {
    return sendJson(outgoing, 200, api === "chat" ? chatWhole(turn, { model }) : responsesWhole(turn, { model }));
  }
  const rendering = { pieces: piecesOf(reply.chunk ?? 7), weave: reply.interleave ? byTurns : inSequence };
  const includeUsage = isObject(body.stream_options) && body.stream_options.include_usage === true;
  const payloads =
    api === "chat" ? chatChunks(turn, { model, includeUsage }, rendering) : responsesEvents(turn, { model }, rendering);
  return sendStream(outgoing, api, payloads, turn.finish !== null, reply.pieceDelay);
}

function turnOf({ say, think, refuse, calls = [], annotations, usage, finish }: TurnReply): ScriptedTurn {
  const items: ScriptedItem[] = [];
  if (think !== undefined) items.push({ kind: "reasoning", text: think });
  if (say !== undefined || refuse !== undefined) {
    items.push({
      kind: "message",
      ...(say !== undefined && { text: say }),
      ...(refuse !== undefined && { refusal: refuse }),
      ...(annotations && { annotations }),
    });
  }
  calls.forEach(({ id = `call_${items.length}`, name, arguments: text, kind: tool = "function" }) => {
    items.push({ kind: "call", id, name, arguments: text, tool });
  });
  return { items, ...(usage !== undefined && { usage }), ...(finish !== undefined && { finish }) };
}

function sendStream(
  outgoing: ServerResponse,
  api: Api,
  payloads: readonly unknown[],
  done: boolean | undefined,
  delay: number | undefined,
): Promise<void> {
  const frames = sseFrames(api, payloads, done ?? true);
  const bytes = delay === undefined ? frames : frames.flatMap((frame) => [frame, { wait: delay }]);
  return sendBytes(outgoing, bytes, typeFor({ stream: true }));
}

async function sendBytes(
  outgoing: ServerResponse,
  bytes: BytesReply["bytes"],
  headers: Record<string, string>,
): Promise<void> {
  outgoing.writeHead(200, headers);
  outgoing.flushHeaders();
  outgoing.socket?.setNoDelay(true);
  for (const piece of bytes) {
    if (outgoing.destroyed || piece === "hang") return;
    if (piece === "cut") {
      cut.add(outgoing);
      // What was written before must arrive before the reset does.
      await sleep(20);
      outgoing.destroy();
      return;
    }
    if (typeof piece === "object" && "wait" in piece) await sleep(piece.wait);
    else {
      outgoing.write(piece);
      // One write a tick, so that the reader sees the pieces as they were cut.
      await nextTick();
    }
  }
  outgoing.end();
}

function typeFor(body: JsonObject): Record<string, string> {
  return { "content-type": body.stream === true ? "text/event-stream" : "application/json" };
}

function sendJson(outgoing: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers });
  outgoing.end(typeof body === "string" ? body : JSON.stringify(body));
}

function problem(message: string): JsonObject {
  return { error: { message, type: "server_error", param: null, code: null } };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
