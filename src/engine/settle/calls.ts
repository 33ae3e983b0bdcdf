import { type ArgumentChecks, isDefaultNamespace } from "../../tools/index.ts";
import {
  type BackendCallArguments,
  type BackendCallDone,
  type BackendCallStarted,
  type CallOwner,
  type CallRepaired,
  type CallStarted,
  type Ids,
  isPortableId,
  parseJson,
  type Repair,
  type TurnEvent,
  type TurnListener,
} from "../../turn/index.ts";
import { SeenCalls } from "./seen-calls.ts";

export type BackendCallEvent = BackendCallStarted | BackendCallArguments | BackendCallDone | CallRepaired;

export interface CallSettings {
  /** Whether a call that was cut can be dropped, because the answer is not streamed. */
  dropsCutCalls?: boolean | undefined;
  ids: Ids;
  checks: ArgumentChecks;
  listener: TurnListener;
  /** Who runs the call; the client by default. */
  ownerOf?: ((call: BackendCallStarted) => CallOwner) | undefined;
}

/**
 * Prepares a call for the client: its ids are present and new, no call is sent twice, and empty arguments become `{}`. Calls arrive
 * here one after the other.
 */
export class Calls {
  readonly #settings: CallSettings;
  readonly #emit: (event: TurnEvent) => void;
  #seen: SeenCalls | undefined;
  /** The open call, as the backend started it and as the client knows it. */
  #started: BackendCallStarted | undefined;
  #open: CallStarted | undefined;
  #text = "";
  /** The events of a call that may repeat an earlier one, until it is complete. */
  #held: BackendCallEvent[] | undefined;

  constructor(settings: CallSettings, emit: (event: TurnEvent) => void) {
    this.#settings = settings;
    this.#emit = emit;
  }

  /** Whether a call was started and is not done. */
  get isOpen(): boolean {
    return this.#started !== undefined;
  }

  /**
   * Something else follows the open call, so the call was cut. If the client has not seen it, it is dropped. Otherwise nothing can
   * follow it: an item is done before the next one begins.
   */
  abandon(): boolean {
    if (!this.#settings.dropsCutCalls) return false;
    this.#started = this.#open = this.#held = undefined;
    this.#text = "";
    return true;
  }

  push(event: BackendCallEvent): void {
    const isOther = this.#started && event.call !== undefined && event.call !== this.#started.call;
    if (isOther && !this.abandon()) return;
    switch (event.type) {
      case "call.started":
        this.#started = event;
        this.#text = "";
        this.#seen ??= new SeenCalls();
        if (this.#seen.mayHave(event)) this.#held = [event];
        else this.#start(event);
        return;
      case "call.arguments":
        this.#text += event.delta;
        if (this.#held) this.#held.push(event);
        else this.#emit(event);
        return;
      case "call.repaired":
        if (this.#held && event.call !== undefined) this.#held.push(event);
        else this.#replay(event);
        return;
      case "call.done":
        this.#finish();
    }
  }

  #start(event: BackendCallStarted): void {
    const { ids, listener, ownerOf } = this.#settings;
    const { kind, name, namespace, offeredAs, dialect, extensions } = event;
    const { callId, id } = ids.claimCall(event);
    const isRenamed = callId !== event.callId;
    const upstreamId = isRenamed ? event.callId : undefined;
    const owner = ownerOf?.(event) ?? "client";
    const names = { name, namespace, offeredAs };
    this.#open = { type: "call.started", kind, owner, callId, id, ...names, upstreamId, dialect, extensions };
    // A dialect has ids of its own, or none: that needs no repair. Neither do ids if all are numbered here.
    const isFine = ids.areNumbered || (dialect !== undefined && idRepair(event.callId) !== "repeated_id");
    if (isRenamed && !isFine) listener.callRepaired?.(idRepair(event.callId), this.#open);
    listener.callStarted?.(this.#open);
    this.#emit(this.#open);
  }

  #replay(event: BackendCallEvent): void {
    if (event.type === "call.started") this.#start(event);
    else if (event.type === "call.repaired") {
      this.#settings.listener.callRepaired?.(event.repair, event.call === undefined ? undefined : this.#open);
    } else if (event.type === "call.arguments") this.#emit(event);
  }

  #finish(): void {
    const started = this.#started;
    if (!started) return;
    const { listener } = this.#settings;
    if (!this.#seen?.add(started, this.#text)) listener.callRepaired?.("duplicate", started);
    else {
      if (this.#held) for (const event of this.#held) this.#replay(event);
      if (started.kind !== "custom" && this.#text.trim() === "") this.#fillIn();
      this.#emit({ type: "call.done", arguments: this.#text });
      if (this.#open) listener.callDone?.(this.#open, this.#text);
      // Only the backend knows a tool in a namespace that was not offered under another name.
      const offered = started.offeredAs ?? (isDefaultNamespace(started.namespace) ? started.name : undefined);
      if (started.kind !== "custom" && offered !== undefined) this.#check(offered);
    }
    this.#started = this.#open = this.#held = undefined;
    this.#text = "";
  }

  #fillIn(): void {
    this.#emit({ type: "call.arguments", delta: "{}" });
    this.#text += "{}";
    this.#settings.listener.callRepaired?.("arguments_empty", this.#open);
  }

  /** Reports what is wrong with arguments that are passed on unchanged: a client may still be able to use them. */
  #check(name: string): void {
    const { checks, listener } = this.#settings;
    if (!listener.argumentsBroken && !listener.schemaMismatch) return;
    const value = parseJson(this.#text);
    const mismatch = value === undefined ? undefined : checks.check(name, value);
    if (value === undefined) listener.argumentsBroken?.(this.#open);
    else if (mismatch) listener.schemaMismatch?.(this.#open, mismatch.path);
  }
}

function idRepair(id: string | undefined): Repair {
  if (id === undefined || id === "") return "missing_id";
  return isPortableId(id) ? "repeated_id" : "unusable_id";
}
