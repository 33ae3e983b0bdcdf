import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { EventFields, EventSink } from "../turn/index.ts";
import { type Disk, openDisk, standardDisk } from "./disk.ts";
import { LineWriter } from "./line-writer.ts";
import type { Redactor } from "./redact.ts";

export interface EventSinkOptions {
  /** `none`, `stdout`, or the path of a file or named pipe to append to. */
  to: string;
  redactor: Redactor;
  now?: () => Date;
  /** Called at the first failed write only. Turns continue without events. */
  onError?: (error: unknown) => void;
  /** Called when a named pipe is found to have no reader, the first time only. */
  onNoReader?: () => void;
}

export interface ClosableEventSink extends EventSink {
  /** Resolves when all events have been written to the file. */
  close(): Promise<void>;
  /** How many events are lost. */
  readonly dropped: number;
}

const silent: ClosableEventSink = { on: false, keepsValues: false, dropped: 0, write() {}, async close() {} };

/** Writes events as NDJSON: one object per line, with `ts`, `event` and `request_id` first. */
export function createEventSink({
  to,
  redactor,
  now = () => new Date(),
  onError = () => {},
  onNoReader = () => {},
}: EventSinkOptions): ClosableEventSink {
  if (to === "none") return silent;

  const line = (event: string, requestId: string | null, fields: EventFields) =>
    JSON.stringify({ ts: now().toISOString(), event, request_id: requestId, ...withoutEnvelope(fields) });
  const writer = new LineWriter({
    disk: to === "stdout" ? standardDisk(1) : openForAppend(to, onNoReader),
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
    get dropped() {
      return writer.dropped;
    },
  };
}

/** Opened at the start, so that a bad path fails there. */
function openForAppend(path: string, onNoReader: () => void): Disk {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openDisk(path, onNoReader);
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
