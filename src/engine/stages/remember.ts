import {
  type Backend,
  type CallStarted,
  givenBack,
  type Item,
  type JsonObject,
  type JsonValue,
  type Turn,
  type TurnEvent,
} from "../../turn/index.ts";
import { Before, type KeptCall, type Memory, type SealedReasoning } from "../continuity.ts";

/** Beyond this it is not kept, so there is no use in gathering it. */
const mostReasoning = 512 * 1024;

/**
 * Keeps of each whole call what the client may not bring back: the backend's own id, and what the model thought before it. `input`
 * is what the client will repeat.
 */
export class RememberedCalls {
  readonly #memory: Memory;
  readonly #backend: Backend;
  readonly #model: string;
  readonly #input: readonly Item[];
  readonly #thoughts: Thoughts;
  readonly #details = new Details();
  #open: CallStarted | undefined;
  #before: Before | undefined;
  readonly pending: Promise<void> | undefined = undefined;

  constructor(memory: Memory, backend: Backend, { model }: Turn, input: readonly Item[]) {
    this.#memory = memory;
    this.#backend = backend;
    this.#model = model;
    this.#input = input;
    this.#thoughts = new Thoughts(backend.capabilities.wantsReasoning ?? false);
  }

  hear(event: TurnEvent): void {
    const { id } = this.#thoughts;
    switch (event.type) {
      case "reasoning.started":
        this.#thoughts.start(event.id);
        return;
      case "reasoning.delta":
        this.#thoughts.add(event.text, event.part);
        return;
      case "reasoning.done":
        if (event.encrypted !== undefined && id !== undefined) this.#memory.keepReasoning(id, this.#backend.name);
        this.#thoughts.seal(event.encrypted);
        return;
      case "message.extra": {
        const { reasoning_details: details } = givenBack(event.extensions, "chat") ?? {};
        if (details) this.#details.add(details);
        return;
      }
      case "call.started":
        this.#open = event;
        return;
      case "call.done":
        if (this.#open) this.#keep(this.#open, event.arguments);
        this.#open = undefined;
    }
  }

  #keep({ callId, upstreamId: own, extensions, name }: CallStarted, text: string): void {
    const kept: KeptCall = {
      backend: this.#backend.name,
      model: this.#model,
      ...this.#thoughts.before(),
      extra: this.#details.all,
    };
    if (own !== undefined && own !== callId) kept.callId = own;
    if (extensions?.format === "chat") kept.extensions = extensions;
    if (!kept.callId && !kept.reasoning && !kept.sealed && !kept.extra && !kept.extensions) return;
    if (!this.#before) {
      this.#before = new Before();
      for (const item of this.#input) this.#before.add(item);
    }
    this.#memory.keepCall({ callId, name, arguments: text, before: this.#before.of(callId) }, kept);
  }
}

/** What the model has thought in this round so far: as text, or as items, whichever its backend may want back. */
class Thoughts {
  readonly #asText: boolean;
  #text = "";
  #part = 0;
  #sealed: readonly SealedReasoning[] | undefined;
  id: string | undefined;

  constructor(asText: boolean) {
    this.#asText = asText;
  }

  before(): Pick<KeptCall, "reasoning" | "sealed"> {
    const fits = this.#text !== "" && this.#text.length <= mostReasoning;
    return { reasoning: fits ? this.#text : undefined, sealed: this.#sealed };
  }

  start(id: string | undefined): void {
    this.id = id;
  }

  add(text: string, part: number): void {
    if (!this.#asText || this.#text.length > mostReasoning) return;
    this.#text += this.#text !== "" && part !== this.#part ? `\n\n${text}` : text;
    this.#part = part;
  }

  seal(encrypted: string | undefined): void {
    if (this.#asText || this.id === undefined) return;
    this.#sealed = [...(this.#sealed ?? []), { id: this.id, encrypted }];
    this.id = undefined;
  }
}

/** The `reasoning_details` of the message: they come in pieces, each a list. */
class Details {
  readonly #list: JsonValue[] = [];
  #size = 0;

  get all(): JsonObject | undefined {
    const fits = this.#list.length > 0 && this.#size <= mostReasoning;
    return fits ? { reasoning_details: this.#list } : undefined;
  }

  add(pieces: JsonValue): void {
    if (this.#size > mostReasoning) return;
    this.#size += JSON.stringify(pieces).length;
    for (const piece of Array.isArray(pieces) ? pieces : [pieces]) this.#list.push(piece);
  }
}
