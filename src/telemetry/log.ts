import { type DestinationStream, type Logger, pino } from "pino";
import { isObject, type JsonObject, parseJson } from "../turn/index.ts";
import type { Redactor } from "./redact.ts";
import { standardError } from "./standard-error.ts";

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];

export type Log = Logger;

export interface LogOptions {
  level: LogLevel;
  redactor: Redactor;
  /** Default: standard error. */
  destination?: DestinationStream;
  /** Readable lines instead of JSON. Default: whether standard error is a terminal. */
  pretty?: boolean;
}

/** Long enough for a stack trace, too short for a request body. */
const stringLimit = 8_000;
const maxCauses = 4;

/** Creates the log. It does not use standard output, which is for the ready line and for events. */
export function createLog({ level, redactor, destination, pretty }: LogOptions): Log {
  const forPeople = pretty ?? (destination === undefined && process.stderr.isTTY === true);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (thrown: unknown) => describeError(thrown, 0) },
      hooks: {
        // Redaction happens on the finished line, because only there bindings, serialised fields and the message are together.
        streamWrite(line) {
          const entry = parseJson(line);
          if (!isObject(entry)) return `${JSON.stringify({ level: "error", msg: redactor.text(line) })}\n`;
          const clean = redactor.json(entry, stringLimit);
          return forPeople && isObject(clean) ? readable(clean) : `${JSON.stringify(clean)}\n`;
        },
      },
    },
    destination ?? standardError((count) => missingLines(count, forPeople)),
  );
}

function missingLines(dropped: number, forPeople: boolean): string {
  const msg = `${dropped} log lines were dropped: standard error did not take them in time`;
  const entry = { level: "warn", time: new Date().toISOString(), dropped, msg };
  return forPeople ? readable(entry).trimEnd() : JSON.stringify(entry);
}

/** Only these fields are logged: other properties of an error may contain bodies, headers or options. */
function describeError(thrown: unknown, depth: number): JsonObject {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown) };
  const described: JsonObject = { type: thrown.name, message: thrown.message };
  if ("code" in thrown && typeof thrown.code === "string") described.code = thrown.code;
  if (thrown.stack !== undefined) described.stack = thrown.stack;
  if (depth === maxCauses) return described;
  if (thrown.cause !== undefined) described.cause = describeError(thrown.cause, depth + 1);
  if (thrown instanceof AggregateError) {
    described.errors = thrown.errors.slice(0, maxCauses).map((error) => describeError(error, depth + 1));
  }
  return described;
}

/** `12:00:00 WARN  message name=value`, followed by the stacks of the error and its causes. */
function readable({ time, level, msg, err, ...rest }: JsonObject): string {
  const words = [String(time).slice(11, 19), String(level).toUpperCase().padEnd(5), visible(String(msg ?? ""))];
  for (const [name, value] of Object.entries(rest)) words.push(`${visible(name)}=${visible(JSON.stringify(value))}`);
  const lines = [words.join(" ")];
  for (let error = err; isObject(error); error = error.cause) {
    const stack = String(error.stack ?? error.message).split("\n");
    for (const line of stack) lines.push(`    ${visible(line)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** Escapes control characters, so that foreign text cannot control the terminal. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
