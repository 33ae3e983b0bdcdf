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
  const { quirks } = backend.capabilities;
  const thoughts = new Thoughts(quirks.wantsReasoning);
  const fields = new WantedFields();
  let open: CallStarted | undefined;
  let before: Before | undefined;

  const keep = ({ callId = "", upstreamId: own, extensions, name }: CallStarted, text: string) => {
    const kept: KeptCall = { backend: backend.name, model: turn.model, ...thoughts.before(), extra: fields.all };
    if (own !== undefined && own !== callId) kept.callId = own;
    if (extensions && quirks.wantsExtensions(extensions)) kept.extensions = extensions;
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
        fields.add(quirks.wantedFields(event));
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

/** What else the service wants back: fields that come in pieces, each a list. */
class WantedFields {
  readonly #lists = new Map<string, JsonValue[]>();
  #size = 0;

  get all(): JsonObject | undefined {
    const fits = this.#lists.size > 0 && this.#size <= mostReasoning;
    return fits ? Object.fromEntries(this.#lists) : undefined;
  }

  add(fields: JsonObject | undefined): void {
    if (!fields || this.#size > mostReasoning) return;
    this.#size += JSON.stringify(fields).length;
    for (const [name, pieces] of Object.entries(fields)) {
      if (pieces === undefined) continue;
      const list = this.#lists.get(name) ?? [];
      this.#lists.set(name, list);
      for (const piece of Array.isArray(pieces) ? pieces : [pieces]) list.push(piece);
    }
  }
}
