import type { Ending } from "../../dialects/index.ts";
import {
  type Backend,
  type BackendEvent,
  Cancellation,
  isTerminal,
  type Turn,
  type TurnError,
  toTurnError,
} from "../../turn/index.ts";

/** A part of an answer before dialects are read. */
export type Part = TextPart | CallPart;

export interface TextPart {
  kind: "message" | "refusal" | "reasoning";
  /** The deltas as they arrived. */
  pieces: string[];
  /** Whether the backend sent it as a separate item. */
  isItem: boolean;
}

/** A native call of the backend. */
export interface CallPart {
  kind: "call";
  name: string;
  arguments: string;
  isWhole: boolean;
}

export interface Parts {
  parts: Part[];
  ending: Ending;
  /** Set if the answer failed. */
  error: TurnError | undefined;
}

/** Collects the backend's own output, without the stages of the engine. */
export async function partsOf(backend: Backend, turn: Turn): Promise<Parts> {
  const collector = new Collector();
  let error: TurnError | undefined;
  let ending: Ending = "cut";
  const emit = (event: BackendEvent) => {
    collector.take(event);
    if (event.type === "round.finished" && event.reason === "stop") ending = "stop";
    if (event.type === "round.failed") error = event.error;
  };
  try {
    await backend.run(turn, { emit, flush: () => undefined, cancellation: new Cancellation() });
  } catch (thrown) {
    error = toTurnError(thrown);
  }
  return { parts: collector.parts, ending, error };
}

class Collector {
  readonly parts: Part[] = [];
  /** By item number: the deltas of several items may be interleaved. */
  readonly #texts = new Map<number, TextPart>();
  readonly #calls = new Map<number, CallPart>();

  take(event: BackendEvent): void {
    switch (event.type) {
      case "message.started":
      case "reasoning.started":
        this.#begin(event.type === "message.started" ? "message" : "reasoning", event.item);
        return;
      case "text.delta":
        this.#text("message", event.item).pieces.push(event.text);
        return;
      case "refusal.delta":
        this.#text("refusal", event.item).pieces.push(event.text);
        return;
      case "reasoning.delta":
        this.#text("reasoning", event.item).pieces.push(event.text);
        return;
      case "call.started": {
        const call: CallPart = { kind: "call", name: event.name, arguments: "", isWhole: false };
        this.#calls.set(event.call, call);
        this.parts.push(call);
        return;
      }
      case "call.arguments":
      case "call.done": {
        const call = this.#calls.get(event.call);
        if (!call) return;
        if (event.type === "call.done") call.isWhole = true;
        else call.arguments += event.delta;
        return;
      }
      default:
        if (isTerminal(event)) this.#texts.clear();
    }
  }

  #text(kind: TextPart["kind"], item: number | undefined): TextPart {
    const open = item === undefined ? this.parts.at(-1) : this.#texts.get(item);
    return open?.kind === kind ? open : this.#begin(kind, item);
  }

  #begin(kind: TextPart["kind"], item: number | undefined): TextPart {
    const part: TextPart = { kind, pieces: [], isItem: item !== undefined };
    this.parts.push(part);
    if (item !== undefined) this.#texts.set(item, part);
    return part;
  }
}
