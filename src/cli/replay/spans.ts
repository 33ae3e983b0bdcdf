import type { FoundCall, RejectReport, RepairReport, Span, SpanKind } from "../../dialects/index.ts";
import { parseJson, type TurnError } from "../../turn/index.ts";
import type { ReadPart } from "./reading.ts";

/** SGR escape codes that all terminals support. */
const styles: Record<SpanKind | "title", string> = {
  text: "",
  reasoning: "2;3",
  call: "1;36",
  markup: "90",
  title: "1",
};

const meanings: Record<SpanKind, string> = {
  text: "what the client sees",
  reasoning: "what the model thought",
  call: "became a call",
  markup: "means nothing to a person",
};

const kinds: readonly SpanKind[] = ["text", "reasoning", "call", "markup"];

/** Renders the answer for a terminal: its text, coloured by kind of span, then the calls, repairs and rejected texts. */
export function renderSpans(parts: readonly ReadPart[], error: TurnError | undefined, colours: boolean): string {
  const paint = (style: keyof typeof styles, text: string) => (colours ? inStyle(styles[style], text) : text);
  const coloured = (spans: readonly Span[]) => spans.map(({ kind, text }) => paint(kind, visible(text))).join("");
  const shown = parts.map(({ spans }) => onLines(colours ? coloured(spans) : listed(spans))).join("");
  const legend = kinds.map((kind) => `  ${paint(kind, kind.padEnd(longestKind))}  ${meanings[kind]}\n`).join("");
  const calls = parts.flatMap((part) => part.calls.map(describeCall));
  const repairs = parts.flatMap(({ text, repairs }) => {
    const lines = lineStarts(text);
    return repairs.map((report) => describeRepair(lines, report));
  });
  const rejected = parts.flatMap(({ text, rejected }) => {
    const lines = lineStarts(text);
    return rejected.map((report) => describeRejected(lines, report));
  });
  const blocks: [title: string, lines: string][] = [
    ["calls", calls.join("")],
    ["repairs", repairs.join("")],
    ["left as text", rejected.join("")],
    ["failed", error ? `  ${visible(error.message)}\n` : ""],
  ];
  const rest = blocks
    .filter(([, lines]) => lines !== "")
    .map(([title, lines]) => `\n${paint("title", title)}\n${lines}`);
  return `${shown}\n${legend}${rest.join("")}`;
}

const longestKind = Math.max(...kinds.map((kind) => kind.length));

/** Without colours: the kind of each span in a left column. */
function listed(spans: readonly Span[]): string {
  return spans
    .flatMap(({ kind, text }) =>
      visible(text)
        .replace(/\n$/, "")
        .split("\n")
        .map((line, index) => `${(index === 0 ? kind : "").padEnd(longestKind)} │ ${line}\n`),
    )
    .join("");
}

/** Styles each line separately, so that a pager can begin at any line. */
function inStyle(style: string, text: string): string {
  if (style === "") return text;
  return text.replace(/[^\n]+/g, (line) => `\x1b[${style}m${line}\x1b[0m`);
}

/** Replaces control characters, so that a recording cannot control the terminal. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => {
    if (character === "\n" || character === "\t") return character;
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
  });
}

function describeCall({ name, arguments: given, dialect, isWhole }: FoundCall): string {
  const from = dialect === "" ? "native" : dialect;
  const note = isWhole ? "" : ", cut off: a client must not run it";
  const value = parseJson(given);
  const pretty = value === undefined ? given : JSON.stringify(value, null, 2);
  return `  ${visible(name)} (${from}${note})\n${visible(pretty).replace(/^/gm, "    ")}\n`;
}

function describeRepair(lines: readonly number[], { repair, offset, dialect }: RepairReport): string {
  return `  ${positionOf(lines, offset)}  ${repair} (${dialect})\n`;
}

function describeRejected(lines: readonly number[], { dialect, name, reason, offset }: RejectReport): string {
  const why = name === undefined ? reason : `${reason}: ${name}`;
  return `  ${positionOf(lines, offset)}  ${visible(why)} (${dialect})\n`;
}

/** The offsets of the beginnings of lines. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Line and column from 1, as in editors, and the offset from 0. */
function positionOf(lines: readonly number[], offset: number): string {
  let line = 0;
  let end = lines.length;
  while (end - line > 1) {
    const middle = (line + end) >> 1;
    if ((lines[middle] ?? 0) <= offset) line = middle;
    else end = middle;
  }
  return `${line + 1}:${offset - (lines[line] ?? 0) + 1} (offset ${offset})`;
}

function onLines(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
