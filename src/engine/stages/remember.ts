import type { Backend, CallStarted, Item, JsonObject, JsonValue, Turn } from "../../turn/index.ts";
import { Before, type KeptCall, type Memory, type SealedReasoning } from "../continuity.ts";
import type { Stage } from "./stage.ts";

/** Beyond this it is not kept, so there is no use in gathering it. */
const mostReasoning = 512 * 1024;

/**
 * Keeps of each whole call what the client may not bring back: the backend's own id, and what the model thought before it. `input`
 * is what the client will repeat.
 */
export function rememberCalls(memory: Memory, backend: Backend, turn: Turn, input: readonly Item[]): Stage {
  const thoughts = new Thoughts(backend.capabilities.wantsReasoning ?? false);
  const details = new Details();
  let open: CallStarted | undefined;
  let before: Before | undefined;

  const keep = ({ callId = "", upstreamId: own, extensions, name }: CallStarted, text: string) => {
    const kept: KeptCall = { backend: backend.name, model: turn.model, ...thoughts.before(), extra: details.all };
    if (own !== undefined && own !== callId) kept.callId = own;
    if (extensions?.format === "chat") kept.extensions = extensions;
    if (!kept.callId && !kept.reasoning && !kept.sealed && !kept.extra && !kept.extensions) return;
    if (!before) {
      before = new Before();
      for (const item of input) before.add(item);
    }
    memory.keepCall({ callId, name, arguments: text, before: before.of(callId) }, kept);
  };

  return (event, emit) => {
    emit(event);
    switch (event.type) {
      case "reasoning.started":
        thoughts.start(event.id);
        return;
      case "reasoning.delta":
        thoughts.add(event.text, event.part);
        return;
      case "reasoning.done":
        if (event.encrypted !== undefined && thoughts.id !== undefined) memory.keepReasoning(thoughts.id, backend.name);
        thoughts.seal(event.encrypted);
        return;
      case "item.done":
        if (event.format === "chat" && event.item.reasoning_details) details.add(event.item.reasoning_details);
        return;
      case "call.started":
        open = event;
        return;
      case "call.done":
        if (open) keep(open, event.arguments ?? "");
        open = undefined;
    }
  };
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
