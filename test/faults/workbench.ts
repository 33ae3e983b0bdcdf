import { setTimeout as sleep } from "node:timers/promises";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { type Answer, ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, startProvider } from "../support/provider.ts";
import { type Cell, CellIndex } from "./cells.ts";
import { type Timeout, timeouts } from "./fault.ts";
import { type SocketProvider, startSocketProvider } from "./socket-provider.ts";
import { correctAnswer } from "./sockets.ts";
import { tools } from "./wire.ts";

/** Time that a turn may take beside what its fault takes: the machine has other things to do as well. */
const slack = 8_000;
/** How long the end of an answer is waited for that is whole. */
const graceForTheEnd = 2_000;

/** One gateway before providers that have all the faults, each behind a model of its own, and that can do well too. */
export class Workbench {
  readonly gateway: RunningServer;
  readonly #provider: Provider;
  readonly #sockets: SocketProvider;
  /** Addresses that no client may see. */
  readonly #hidden: string[];

  private constructor(gateway: RunningServer, provider: Provider, sockets: SocketProvider) {
    this.gateway = gateway;
    this.#provider = provider;
    this.#sockets = sockets;
    this.#hidden = ["provider-secret", "10.1.2.3", hostOf(provider.url), hostOf(sockets.url)];
  }

  static async start(cells: readonly Cell[], more: JsonObject = {}): Promise<Workbench> {
    const index = new CellIndex(cells);
    const provider = await startProvider(({ api, model }) => {
      const cell = index.find(api, model);
      return cell ? replyOf(cell) : { say: "Fine." };
    });
    const sockets = await startSocketProvider(({ api, model, stream }) => {
      const cell = index.find(api, model);
      return cell?.fault.socket?.(cell) ?? [correctAnswer({ backend: api, stream })];
    });
    const backends: JsonObject = {};
    const add = (prefix: string, url: string, short: Timeout[]) => {
      const own = { ...more, timeouts: Object.fromEntries(short.map((name) => [name, `${timeouts[name]}ms`])) };
      for (const [kind, backend] of Object.entries(bothBackends({ ...provider, url }, own).backends ?? {}))
        backends[prefix + kind] = backend;
    };
    add("", provider.url, []);
    for (const timeout of ["first_content", "idle", "total"] as const) {
      add(`${timeout}-`, provider.url, [timeout]);
      add(`socket-${timeout}-`, sockets.url, [timeout]);
    }
    const gateway = await startGateway({ backends });
    return new Workbench(gateway, provider, sockets);
  }

  async ask(cell: Cell, signal?: AbortSignal): Promise<Answer> {
    const { client, backend, stream, form, model } = cell;
    const timeout = timeoutOf(cell);
    const prefix = `${form === "socket" ? "socket-" : ""}${timeout ? `${timeout}-` : ""}`;
    return this.send(client, `${prefix}${backend}/${model}`, stream, signal);
  }

  /** The answer to a request that nothing is wrong with, behind the same backend. */
  async askAgain(cell: Cell): Promise<Answer> {
    return this.ask({ ...cell, model: "fine" });
  }

  async send(client: Api, model: string, stream: boolean, signal?: AbortSignal): Promise<Answer> {
    const body = requestFor(client, { model, tools, stream });
    const answer = await ask(this.gateway, client, body, {}, signal ? { signal } : {});
    const shown = `${answer.raw}${JSON.stringify([...answer.headers])}`;
    for (const secret of this.#hidden) if (shown.includes(secret)) throw new Error(`${secret} is shown: ${shown}`);
    return answer;
  }

  /** How often the provider was asked for the cell's model. */
  timesAsked({ backend, model }: Cell): number {
    return this.#provider.requestsOf(model).filter(({ api }) => api === backend).length;
  }

  /** Waits until no connection is left on which the provider would go on. */
  async isLeft(cell: Cell, within = graceForTheEnd + slack): Promise<void> {
    const { backend, model, form } = cell;
    const left = () =>
      form === "socket"
        ? this.#sockets.requests.some((each) => each.model === model && each.api === backend && each.left)
        : this.#provider.requestsOf(model).some((each) => each.api === backend && each.closedEarly);
    for (const until = performance.now() + within; !left(); await sleep(20)) {
      if (performance.now() > until) throw new Error("the provider's connection was left open");
    }
  }

  async openTurns(): Promise<number> {
    const text = await (await fetch(`${this.gateway.url}/metrics`)).text();
    return Number(/^toolwire_open_turns (\d+)$/m.exec(text)?.[1]);
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.#provider.close();
    await this.#sockets.close();
  }
}

/** Milliseconds in which a cell must have its end. */
export function patience(cell: Cell): number {
  const timeout = timeoutOf(cell);
  return slack + (timeout ? timeouts[timeout] : graceForTheEnd);
}

function timeoutOf(cell: Cell): Timeout | undefined {
  const { timed } = cell.fault;
  return typeof timed === "function" ? timed(cell) : timed;
}

/** Whether the provider leaves the connection open, so that the gateway has to close it. */
export function hangs(cell: Cell): boolean {
  const reply = cell.form === "socket" ? { bytes: cell.fault.socket?.(cell) ?? [] } : replyOf(cell);
  return "bytes" in reply && reply.bytes.some((piece) => piece === "hang");
}

const types = { stream: "text/event-stream", whole: "application/json" };

function replyOf({ fault, form, backend }: Cell): Reply {
  if (form === "stream") return { bytes: fault.stream?.[backend] ?? [], headers: { "content-type": types.stream } };
  if (form === "whole") return { whole: fault.whole?.[backend] };
  return fault.reply?.[backend] ?? { status: 500 };
}

function hostOf(url: string): string {
  return new URL(url).host;
}
