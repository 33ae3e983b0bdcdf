import { mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { EventFields, EventSink } from "../turn/index.ts";
import { diskOf, LineWriter } from "./line-writer.ts";
import type { Redactor } from "./redact.ts";

export interface EventSinkOptions {
  /** `none`, `stdout`, or the path of a file to append to. */
  to: string;
  redactor: Redactor;
  now?: () => Date;
  /** Called at the first failed write only. Turns continue without events. */
  onError?: (error: unknown) => void;
}

export interface ClosableEventSink extends EventSink {
  /** Resolves when all events have been written to the file. */
  close(): Promise<void>;
}

const silent: ClosableEventSink = { on: false, keepsValues: false, write() {}, async close() {} };

/** Writes events as NDJSON: one object per line, with `ts`, `event` and `request_id` first. */
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
      // A client may choose its request id, so the id is redacted too.
      const id = requestId === null ? null : redactor.text(requestId);
      writer.write(line(event, id, redactor.fields(fields, values)));
    },
    close: () => writer.close(),
  };
}

/** Opened at the start, so that a bad path fails there. Only the owner can read the file: it may contain what people wrote. */
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

/** An event must not overwrite the three fields of the sink. */
function withoutEnvelope({ ts: _ts, event: _event, request_id: _id, ...own }: EventFields): EventFields {
  return own;
}
