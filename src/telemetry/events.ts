import { mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { EventFields, EventSink } from "../turn/index.ts";
import { diskOf, LineWriter } from "./line-writer.ts";
import type { Redactor } from "./redact.ts";

export interface EventSinkOptions {
  /** `none`, `stdout`, or the path of a file that is appended to. */
  to: string;
  redactor: Redactor;
  now?: () => Date;
  /** Told once when events cannot be written; the turns go on. */
  onError?: (error: unknown) => void;
}

export interface ClosableEventSink extends EventSink {
  /** Resolves when everything that was written has reached the file. */
  close(): Promise<void>;
}

const silent: ClosableEventSink = { on: false, keepsValues: false, write() {}, async close() {} };

/** Events as NDJSON: one object a line, `ts`, `event` and `request_id` first. */
export function createEventSink({
  to,
  redactor,
  now = () => new Date(),
  onError = () => {},
}: EventSinkOptions): ClosableEventSink {
  if (to === "none") return silent;

  const line = (event: string, requestId: string | null, fields: EventFields) =>
    JSON.stringify({ ts: now().toISOString(), event, request_id: requestId, ...withoutEnvelope(fields) });
  const writer = new LineWriter({
    disk: diskOf(to === "stdout" ? 1 : openForAppend(to)),
    missing: (count) => line("events_dropped", null, { count }),
    onError,
  });

  return {
    on: true,
    keepsValues: !redactor.redact,
    write(event, requestId, fields, values) {
      // A client may choose its request id, so it is foreign text as well.
      const id = requestId === null ? null : redactor.text(requestId);
      writer.write(line(event, id, redactor.fields(fields, values)));
    },
    close: () => writer.close(),
  };
}

/** Fails at start rather than at the first event. With redaction off the file holds what people wrote, so only its owner reads it. */
function openForAppend(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, "a", 0o600);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `telemetry.events: cannot write to ${path} (${reason}). Name a file that Toolwire may write, or stdout, or none.`,
      { cause: error },
    );
  }
}

/** The first three fields are the sink's own, whatever an event calls its. */
function withoutEnvelope({ ts: _ts, event: _event, request_id: _id, ...own }: EventFields): EventFields {
  return own;
}
