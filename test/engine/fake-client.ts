import type { CreateEncoder } from "../../src/engine/answer.ts";
import type { AnswerView, ReplyStream, TextSink, TurnEnding, TurnEvent } from "../../src/turn/index.ts";

type Step = "create" | "open" | "push" | "keepAlive" | "end";

/** A client with an API of its own: a frame is the type of an event. It remembers what reached its encoder and its connection. */
export class FakeClient {
  readonly events: TurnEvent[] = [];
  readonly endings: TurnEnding[] = [];
  /** The ids under which encoders were created. */
  readonly ids: string[] = [];
  /** What happened on the connection, such as `write text.delta text.delta`. */
  readonly wire: string[] = [];
  answer: AnswerView | undefined;
  readsAnswer = true;
  /** What a write returns: a promise where the client is full. */
  full: Promise<void> | undefined;
  /** The step at which the encoder throws. */
  breaksAt: Step | undefined;

  readonly sink: TextSink = new FrameTypes();

  readonly createEncoder: CreateEncoder = (id, answer) => {
    this.#reach("create");
    this.ids.push(id);
    this.answer = answer;
    return {
      readsAnswer: this.readsAnswer,
      open: () => this.#write("open", "open"),
      push: (event) => {
        this.events.push(event);
        this.#write("push", event.type);
      },
      keepAlive: () => this.#write("keepAlive", "alive"),
      end: (ending) => {
        this.endings.push(ending);
        this.#write("end", ending.type);
      },
    };
  };

  readonly reply: ReplyStream = {
    open: () => {
      this.wire.push("open");
    },
    write: (text) => {
      this.wire.push(`write ${text}`);
      return this.full;
    },
    end: (text) => {
      this.wire.push(`end ${text}`);
    },
  };

  #write(step: Step, frame: string): void {
    this.#reach(step);
    this.sink.frame("", frame);
  }

  #reach(step: Step): void {
    if (step === this.breaksAt) throw new Error(`the encoder broke at ${step}`);
  }
}

class FrameTypes implements TextSink {
  #frames: string[] = [];

  frame(_event: string, json: string): void {
    this.#frames.push(json);
  }

  keepAlive(): void {
    this.#frames.push("alive");
  }

  end(): void {}

  take(): string {
    const text = this.#frames.join(" ");
    this.#frames = [];
    return text;
  }
}
