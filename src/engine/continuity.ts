import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { meaningOf } from "../tools/index.ts";
import { type Extensions, type Item, isNumberedId, type JsonObject, type Part } from "../turn/index.ts";

/** What a client may lose of a call before it comes back, and its backend may want. */
export interface KeptCall {
  /** Who made the call. */
  backend: string;
  model: string;
  /** As the backend named it, where the client knows it by another id. */
  callId?: string | undefined;
  /** What the model thought before it, as text that a chat provider may want back. */
  reasoning?: string | undefined;
  /** The same as a Responses provider's own items, which it may miss before the item of the call. */
  sealed?: readonly SealedReasoning[] | undefined;
  /** What else its provider wants back beside the call, or in it. */
  extra?: JsonObject | undefined;
  extensions?: Extensions | undefined;
}

/** Encrypted where the client asked for that; otherwise only the provider has it. */
export interface SealedReasoning {
  id: string;
  encrypted: string | undefined;
}

/** The memory of one key: no other key finds anything in it. */
export interface Memory {
  keepCall(call: CallNames, kept: KeptCall): void;
  recallCall(call: CallNames): KeptCall | undefined;
  /** Encrypted reasoning can be read only by who made it. */
  keepReasoning(id: string, backend: string): void;
  recallReasoning(id: string): string | undefined;
  /** The provider's own id of a response, where the client's does not carry it. */
  keepResponse(id: string, upstreamId: string): void;
  recallResponse(id: string): string | undefined;
  /** What of a response's calls a request must know that names the response and does not repeat them. */
  keepCallsOf(response: string, calls: ResponseCalls): void;
  recallCallsOf(response: string): ResponseCalls | undefined;
}

export interface ResponseCalls {
  /** By the ids that the client knows. */
  upstreamIds: ReadonlyMap<string, string>;
  /** Of the conversation up to there, where its calls are numbered. */
  lastNumber: number;
}

/** Some providers name the first call of every conversation alike, so an id alone does not tell which call is meant. */
export interface CallNames {
  callId: string;
  name: string;
  arguments: string;
  /** What came before it. */
  before: string;
}

/**
 * What comes before a call, as far as it tells the call from others of the same id: the user's last words. Ids that are counted are
 * the same in all conversations, so that for them everything counts that was said to the model.
 */
export class Before {
  #last = "";
  readonly #unread: { text: string; isOutput: boolean }[] = [];
  #digests: readonly string[] = [""];

  add(item: Item): void {
    if (item.type === "output") {
      this.#unread.push({ text: typeof item.output === "string" ? item.output : textOf(item.output), isOutput: true });
    }
    if (item.type !== "message" || item.role !== "user") return;
    this.#last = textOf(item.content);
    this.#unread.push({ text: this.#last, isOutput: false });
  }

  of(callId: string): string {
    return this.candidates(callId)[0] ?? "";
  }

  /** The newest first. Outputs that stand before a call may be those of calls that were made with it. */
  candidates(callId: string): readonly string[] {
    if (!isNumberedId(callId)) return [this.#last];
    for (const { text, isOutput } of this.#unread) {
      const [last = ""] = this.#digests;
      const digest = createHash("sha256").update(`${last}\n${text}`).digest("base64");
      this.#digests = isOutput ? [digest, ...this.#digests.slice(0, mostCandidates - 1)] : [digest];
    }
    this.#unread.length = 0;
    return this.#digests;
  }
}

const mostCandidates = 16;

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
}

/** Bytes of all keys together, and of one call. */
const mostMemory = 64 * 1024 * 1024;
const mostOfOne = 1024 * 1024;
/** A conversation that rests longer goes on without. */
const keptFor = 24 * 60 * 60 * 1000;
/** What an entry costs beside its texts, roughly. */
const entryCost = 400;

/** What the turns of this gateway remember for those that follow them. What is used least is forgotten first. */
export class Continuity {
  readonly #calls = new LRUCache<string, KeptCall>({
    maxSize: mostMemory,
    maxEntrySize: mostOfOne,
    sizeCalculation: sizeOf,
    ttl: keptFor,
  });
  readonly #reasoning = new LRUCache<string, string>({ max: 50_000, ttl: keptFor });
  readonly #responses = new LRUCache<string, string>({ max: 50_000, ttl: keptFor });
  readonly #callsOf = new LRUCache<string, ResponseCalls>({ max: 10_000, ttl: keptFor });

  /** `null`: no keys are configured, and all are one. */
  of(key: string | null): Memory {
    const mine = key === null ? "" : `${key}\n`;
    return {
      keepCall: (call, kept) => void this.#calls.set(mine + digestOf(call), kept),
      recallCall: (call) => (this.#calls.size === 0 ? undefined : this.#calls.get(mine + digestOf(call))),
      keepReasoning: (id, backend) => void this.#reasoning.set(mine + id, backend),
      recallReasoning: (id) => this.#reasoning.get(mine + id),
      keepResponse: (id, upstreamId) => void this.#responses.set(mine + id, upstreamId),
      recallResponse: (id) => this.#responses.get(mine + id),
      keepCallsOf: (response, calls) => void this.#callsOf.set(mine + response, calls),
      recallCallsOf: (response) => this.#callsOf.get(mine + response),
    };
  }
}

/** By the arguments' meaning, since clients write them anew. */
function digestOf({ callId, name, arguments: text, before }: CallNames): string {
  const hash = createHash("sha256");
  for (const part of [callId, name, meaningOf(text), before]) hash.update(`${part.length}:${part}`);
  return hash.digest("base64");
}

function sizeOf({ reasoning = "", callId = "", sealed, extra, extensions }: KeptCall): number {
  const objects = [sealed, extra, extensions?.fields].map((value) => (value ? JSON.stringify(value).length : 0));
  return entryCost + 2 * (reasoning.length + callId.length) + objects.reduce((sum, size) => sum + size, 0);
}
