import type { Dialect, ReadingOptions, Sink } from "../../src/dialects/index.ts";
import { createReader, dialects } from "../../src/dialects/index.ts";
import { forms } from "../../src/dialects/known/index.ts";

/** What a model that loops may write again and again: taken from what each dialect looks for and writes. */
export function allUnits(): string[] {
  const units = new Set<string>();
  for (const [index, form] of forms.entries()) {
    const marks = marksOf(form);
    const [opener = ""] = form.openers;
    const [closer = ""] = form.closers;
    const next = forms[(index + 1) % forms.length]?.openers[0] ?? "";
    for (const mark of marks) units.add(mark);
    for (const unit of [
      opener + closer,
      closer + opener,
      opener + next,
      `${opener}find\n`,
      `${opener} x ${closer}\n`,
    ]) {
      units.add(unit);
    }
    for (const part of partsOf(form)) units.add(part);
  }
  for (const other of [
    " ",
    "\n",
    "`",
    "```\n",
    ">",
    "<",
    "[",
    "{",
    '"',
    "\\",
    "a",
    "- ",
    "<a>",
    "</",
    "&",
    "é",
    "🚀",
  ]) {
    units.add(other);
  }
  return [...units];
}

function marksOf({ openers, closers, hidden = [], reasoning = [] }: Dialect): string[] {
  return [...openers, ...closers, ...hidden, ...reasoning.flatMap(({ open, close }) => [open, ...close])];
}

const call = { name: "find", arguments: '{"words":"x","count":1,"list":[1],"thing":{"a":"b"}}' };

/** A written call, and its beginnings up to the middle of a parameter: after a tag, a bracket, or the end of a line. */
function partsOf(form: Dialect): string[] {
  const text = form.write([call]);
  const ends = [...text.matchAll(/[>\]})\n:="]/g)].map(({ index }) => index + 1);
  const some = [0.2, 0.4, 0.6, 0.8].map((share) => ends[Math.floor(ends.length * share)] ?? text.length);
  return [...some.map((end) => text.slice(0, end)), `${text}\n`, text.slice(0, some[2]) + (form.closers[0] ?? "")];
}

const parameters = {
  type: "object",
  properties: {
    words: { type: "string" },
    count: { type: "integer" },
    list: { type: "array", items: { type: "integer" } },
    thing: { type: "object" },
  },
};
const tools = [{ name: "find", parameters }, "other"];
const everyDialect = dialects.map(({ name }) => name);

export interface Attack {
  name: string;
  unit: string;
  before: string;
  options: ReadingOptions;
  ending: "stop" | "cut";
}

/** A unit in text and in reasoning, with the default dialects and with all of them, held and streamed. */
export function attacksWith(unit: string): Attack[] {
  const places = [
    { place: "in text", before: "", dialects: "auto" as const, patience: undefined, ending: "stop" as const },
    {
      place: "in text, all dialects named",
      before: "",
      dialects: everyDialect,
      patience: Infinity,
      ending: "cut" as const,
    },
    { place: "in <think>", before: "<think>", dialects: "auto" as const, patience: undefined, ending: "cut" as const },
    {
      place: "in <think>, all named",
      before: "<think>",
      dialects: everyDialect,
      patience: Infinity,
      ending: "stop" as const,
    },
    { place: "in reasoning", before: "", dialects: "auto" as const, patience: undefined, ending: "stop" as const },
  ];
  return places.map(({ place, before, ending, ...choice }) => ({
    name: `${JSON.stringify(unit)} ${place}`,
    unit,
    before,
    options: { tools, ...choice, beginsInReasoning: place === "in reasoning" },
    ending,
  }));
}

/** Makes what was read so far fail at its end: a key that no call may have, and the end of the reasoning. */
const spoiler = '\n</parameter><parameter=__proto__>\n"}}</think> ok';

export function textOf({ unit, before }: Attack, size: number): string {
  return (before + unit.repeat(Math.ceil(size / unit.length))).slice(0, size) + spoiler;
}

/** Reads the text in pieces of this length; returns the characters that dialects read, and the CPU time in milliseconds. */
export function readAttack({ options, ending }: Attack, text: string, length: number): { work: number; time: number } {
  const reader = createReader(options, nobody);
  const before = process.cpuUsage();
  for (let at = 0; at < text.length; at += length) reader.push(text.slice(at, at + length));
  reader.end(ending);
  const { user, system } = process.cpuUsage(before);
  return { work: reader.work, time: (user + system) / 1000 };
}

const nobody: Sink = {
  span() {},
  callStarted() {},
  callArguments() {},
  callDone() {},
  repaired() {},
  rejected() {},
};
