import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import {
  anyChunking,
  anyRendering,
  anyTurn,
  bytesOf,
  expected,
  expectedItems,
  type RenderedRequest,
  type TurnConstraints,
} from "../support/arbitraries.ts";
import type { Folded } from "../support/folded.ts";
import { type Answer, ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";
import type { Rendering, ScriptedTurn } from "../support/scripted-turn.ts";

interface Play {
  turn: ScriptedTurn;
  rendering: Rendering;
  chunking: (bytes: Uint8Array) => Buffer[];
  /** Where the provider breaks off, from 0 to 1 of what comes before the turn's end; and whether it does so politely. */
  cut?: { at: number; polite: boolean };
}

/** What the provider is to do next; the properties run one at a time. */
let play: Play;
let provider: Provider;
let gateway: Awaited<ReturnType<typeof startGateway>>;

beforeAll(async () => {
  provider = await startProvider(({ api, model, body }) => {
    const request: RenderedRequest = { model, stream: body.stream, stream_options: body.stream_options };
    const bytes = bytesOf(api, play.turn, request, play.rendering, play.chunking);
    return {
      bytes: play.cut ? [breakOff(Buffer.concat(bytes), play.cut.at), ...(play.cut.polite ? [] : ["cut"])] : bytes,
    };
  });
  gateway = await startGateway(bothBackends(provider));
});

afterAll(async () => {
  await gateway?.close();
  await provider?.close();
});

const apis: Api[] = ["chat", "responses"];
const pairs = apis.flatMap((client) => apis.map((backend) => ({ client, backend })));
const tools = [
  ...["get_weather", "get_time", "refresh", "search-notes"].map((name) => ({ name })),
  { name: "apply_patch", kind: "custom" as const },
];
const anyPlay = (constraints?: TurnConstraints) =>
  fc.record({ turn: anyTurn(constraints), rendering: anyRendering(), chunking: anyChunking() });
const plays = anyPlay();

/** Providers differ in what follows the end of a turn; before it, nothing is whole. */
function breakOff(bytes: Buffer, at: number): Buffer {
  const ends = ['"finish_reason":"', "event: response.completed"].map((mark) => bytes.indexOf(mark));
  const end = Math.max(...ends) > 0 ? Math.max(...ends) : bytes.length - 1;
  return bytes.subarray(0, Math.floor(at * end));
}

function run(client: Api, backend: Api, stream: boolean, next: Play): Promise<Answer> {
  play = next;
  return ask(gateway, client, requestFor(client, { model: `${backend}/m`, tools, stream, usage: stream }));
}

function content(folded: Omit<Folded, "error">): Omit<Folded, "error"> {
  const { text, reasoning, refusal, annotations, calls, finish, ended, usage } = folded;
  return { text, reasoning, refusal, annotations, calls, finish, ended, usage };
}

/** A response's items without what is the gateway's own to name. */
function bare(item: JsonObject): unknown {
  const texts = (value: unknown) =>
    Array.isArray(value) ? value.map((part) => (isObject(part) ? part.text : null)) : [];
  if (item.type === "message") return { kind: "message", text: texts(item.content).join("") };
  if (item.type === "reasoning") return { kind: "reasoning", text: texts(item.summary).join("") };
  const call = { kind: "call", id: item.call_id, name: item.name };
  return item.type === "custom_tool_call"
    ? { ...call, arguments: item.input, tool: "custom" }
    : { ...call, arguments: item.arguments, tool: "function" };
}

describe.each(pairs)("a $client client of a $backend backend has the turn,", ({ client, backend }) => {
  const keepsTheTurn = async (next: Play) => {
    const answer = await run(client, backend, true, next);
    expect(content(answer)).toEqual(expected(next.turn, client, backend));
    if (client === "responses") expect(answer.items.map(bare)).toEqual(expectedItems(next.turn));
  };

  it("however its stream is cut and its calls are mixed", { timeout: 60_000 }, async () => {
    await fc.assert(fc.asyncProperty(plays, keepsTheTurn), { numRuns: 50 });
  });

  it("with custom calls among the others", { timeout: 60_000 }, async () => {
    await fc.assert(fc.asyncProperty(anyPlay({ custom: true }), keepsTheTurn), { numRuns: 40 });
  });

  it("however its body is cut, when it comes whole", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(plays, async (next) => {
        expect(content(await run(client, backend, false, next))).toEqual(expected(next.turn, client, backend));
      }),
      { numRuns: 25 },
    );
  });

  it("and never a success of a stream that is cut", { timeout: 60_000 }, async () => {
    const cut = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), polite: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(plays, cut, fc.boolean(), async (next, where, stream) => {
        const answer = await run(client, backend, stream, { ...next, cut: where });
        const whole = expected(next.turn, client, backend);
        expect(answer.ended).toBe("failed");
        expect(answer.error?.code).toMatch(stream ? /^upstream_cut$/ : /^upstream_(cut|invalid)$/);
        expect(answer.streamed || answer.status === 502).toBe(true);
        expect(whole.text.startsWith(answer.text)).toBe(true);
        expect(whole.calls).toEqual(expect.arrayContaining(answer.calls));
      }),
      { numRuns: 40 },
    );
  });
});
