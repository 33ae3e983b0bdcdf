import type {
  Backend,
  CallStarted,
  Extensions,
  Item,
  JsonObject,
  JsonValue,
  Turn,
  TurnEvent,
} from "../../turn/index.ts";
import type { Continuity } from "../continuity.ts";
import { ConversationDigest } from "../conversation-digest.ts";
import type { KeptCall, KeptReasoning } from "../kept-records.ts";

/** In characters. Longer reasoning is not stored, so it is not collected either. */
const mostReasoning = 512 * 1024;

/**
 * Characters of reasoning and fields that the calls of one round store in total. Each call stores its own copy, and one call that
 * comes back is enough to restore them, so later calls of a long round store none.
 */
const mostStored = 1024 * 1024;

/** Reasoning items of one round that are stored. Models make a few. */
const mostItems = 1_000;
/** The size of an item besides its texts and ids, in characters. */
const itemSize = 64;

/**
 * Stores what the client may not send back of each complete call: the backend's own id, and the model's reasoning before the call.
 * `input` is what the client will repeat.
 */
export class RememberedCalls {
  readonly #continuity: Continuity;
  readonly #backend: Backend;
  readonly #model: string;
  readonly #input: readonly Item[];
  #reasoning: RoundReasoning | undefined;
  #fields: WantedFields | undefined;
  #writes: Set<Promise<void>> | undefined;
  #stored = 0;
  #makers = 0;
  #open: CallStarted | undefined;
  #digest: ConversationDigest | undefined;

  constructor(continuity: Continuity, backend: Backend, { model }: Turn, input: readonly Item[]) {
    this.#continuity = continuity;
    this.#backend = backend;
    this.#model = model;
    this.#input = input;
  }

  /** Resolves when the stored records can be read, and never rejects. `undefined` if there is nothing to wait for. */
  get pending(): Promise<void> | undefined {
    return this.#writes?.size ? Promise.all(this.#writes).then(() => {}) : undefined;
  }

  hear(event: TurnEvent): void {
    switch (event.type) {
      case "reasoning.started":
        this.#reasoning ??= new RoundReasoning();
        this.#reasoning.start(event.id, event.upstreamId);
        return;
      case "reasoning.delta":
        this.#reasoning ??= new RoundReasoning();
        this.#reasoning.add(event.text, event.part);
        return;
      case "reasoning.done": {
        const ids = this.#reasoning?.end(event.encrypted) ?? [];
        if (event.encrypted === undefined || ++this.#makers > mostItems) return;
        this.#write(this.#continuity.keepMaker(ids, this.#backend.name));
        return;
      }
      case "message.extra":
        this.#fields ??= new WantedFields();
        this.#fields.add(this.#backend.capabilities.quirks.wantedFields(event.extensions));
        return;
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
      callId: own === callId ? undefined : own,
      ...this.#context(),
      extensions: this.#wantedExtensions(extensions),
    };
    if (!kept.callId && kept.reasoning.length === 0 && !kept.fields && !kept.extensions) return;
    this.#digest ??= digestOf(this.#input);
    const digest = this.#digest;
    const keep = () => this.#continuity.keepCall({ callId, name, arguments: text }, digest.of(callId), kept);
    const ready = digest.prepare(callId);
    this.#write(ready ? ready.then(keep) : keep());
  }

  #wantedExtensions(extensions: Extensions | undefined): Extensions | undefined {
    if (!extensions || !this.#backend.capabilities.quirks.wantsExtensions(extensions)) return undefined;
    return JSON.stringify(extensions).length <= mostReasoning ? extensions : undefined;
  }

  /** What came before the call, as long as the round may store more of it. */
  #context(): Pick<KeptCall, "reasoning" | "fields"> {
    const size = (this.#reasoning?.size ?? 0) + (this.#fields?.size ?? 0);
    if (this.#stored > 0 && this.#stored + size > mostStored) return { reasoning: [] };
    this.#stored += size;
    return { reasoning: this.#wantedReasoning(), fields: this.#fields?.all };
  }

  /** Reasoning that is text alone is of use only to a provider that wants text. */
  #wantedReasoning(): readonly KeptReasoning[] {
    const items = this.#reasoning?.items ?? [];
    if (this.#backend.capabilities.quirks.wantsReasoning) return items;
    return items.filter(({ id, encrypted }) => id !== undefined || encrypted !== undefined);
  }

  #write(write: Promise<void>): void {
    this.#writes ??= new Set();
    const writes = this.#writes.add(write);
    void write.then(() => writes.delete(write));
  }
}

function digestOf(input: readonly Item[]): ConversationDigest {
  const digest = new ConversationDigest();
  for (const item of input) digest.add(item);
  return digest;
}

/** The model's reasoning in this round so far. */
class RoundReasoning {
  readonly #done: KeptReasoning[] = [];
  /** The ids of the open item: the client's and the provider's own. */
  #clientId: string | undefined;
  #id: string | undefined;
  #text = "";
  #part = 0;
  /** Characters of the texts, and of everything else: encrypted contents and ids. */
  #texts = 0;
  #seals = 0;

  get size(): number {
    return this.#texts + this.#seals;
  }

  /** If the items are too large, their texts are left out, so that at least the encrypted contents are stored. */
  get items(): readonly KeptReasoning[] {
    if (this.#seals > mostStored || this.#done.length > mostItems) return [];
    // An item that is not done has no id that its provider would know.
    const items = this.#text === "" ? this.#done : [...this.#done, { text: this.#text }];
    if (this.size <= mostReasoning) return [...items];
    return items.flatMap(({ id, encrypted }) =>
      id === undefined && encrypted === undefined ? [] : [{ id, encrypted }],
    );
  }

  start(clientId: string, upstreamId: string | undefined): void {
    this.#close({});
    this.#clientId = clientId;
    this.#id = upstreamId;
  }

  add(text: string, part: number): void {
    if (this.size > mostReasoning) return;
    this.#texts += text.length;
    this.#text += this.#text !== "" && part !== this.#part ? `\n\n${text}` : text;
    this.#part = part;
  }

  /** Returns the ids by which the item may come back. */
  end(encrypted: string | undefined): string[] {
    const [clientId, id] = [this.#clientId, this.#id];
    this.#close({ id, encrypted });
    return [...new Set([clientId, id])].filter((known) => known !== undefined);
  }

  #close({ id, encrypted }: KeptReasoning): void {
    const text = this.#text === "" ? undefined : this.#text;
    this.#text = "";
    this.#clientId = undefined;
    this.#id = undefined;
    if ((id ?? text ?? encrypted) === undefined) return;
    this.#seals += (encrypted?.length ?? 0) + (id?.length ?? 0) + itemSize;
    // One item more than fits shows that there were too many.
    if (this.#done.length <= mostItems && this.#seals <= mostStored) this.#done.push({ id, text, encrypted });
  }
}

/** Other fields that the provider wants back: lists that arrive in pieces. */
class WantedFields {
  readonly #lists = new Map<string, JsonValue[]>();
  /** Characters of the fields as JSON. */
  size = 0;

  get all(): JsonObject | undefined {
    const fits = this.#lists.size > 0 && this.size <= mostReasoning;
    return fits ? Object.fromEntries(this.#lists) : undefined;
  }

  add(fields: JsonObject | undefined): void {
    if (!fields || this.size > mostReasoning) return;
    this.size += JSON.stringify(fields).length;
    for (const [name, pieces] of Object.entries(fields)) {
      if (pieces === undefined) continue;
      const list = this.#lists.get(name) ?? [];
      this.#lists.set(name, list);
      for (const piece of Array.isArray(pieces) ? pieces : [pieces]) list.push(piece);
    }
  }
}
