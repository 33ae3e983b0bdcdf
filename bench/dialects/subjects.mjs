import { createReader, readMessage } from "../../dist/dialects/index.js";
import { forms } from "../../dist/dialects/known/index.js";
import { argumentsOf, deltaLength, deltasOf, parameters, sizes, textOf, toolName } from "./texts.mjs";

const tools = [
  { name: toolName, parameters },
  { name: "read_file", parameters: { type: "object", properties: { path: { type: "string" } } } },
];

/** Dialects whose arguments are refused beyond a size, by design: YAML is parsed at one go. Whoever else refuses one is wrong. */
const largest = { "yaml-xml": sizes["100 KB"] };

/**
 * What is measured: each dialect as it is read by itself, without being named where that is possible (`auto`). One that has no
 * marker is read when it is named, or when it is the whole message, which is held until its end (`whole`).
 */
export function findSubjects(only) {
  const seen = new Set();
  const counts = new Map();
  const subjects = [];
  for (const dialect of forms) {
    if (dialect.internal || !dialect.name.startsWith(only)) continue;
    const text = write(dialect, sizes["1 KB"]);
    if (seen.has(`${dialect.name} ${text}`)) continue;
    seen.add(`${dialect.name} ${text}`);
    const count = (counts.get(dialect.name) ?? 0) + 1;
    counts.set(dialect.name, count);
    const label = count === 1 ? dialect.name : `${dialect.name}-${count}`;
    for (const reading of readingsOf(dialect, text)) {
      const choice = reading === "named" ? [dialect.name] : "auto";
      subjects.push({ name: label, reading, choice, dialect, sizes: sizesOf(dialect) });
    }
  }
  return subjects;
}

function sizesOf({ name }) {
  const most = largest[name] ?? Number.POSITIVE_INFINITY;
  return Object.fromEntries(Object.entries(sizes).filter(([, size]) => size <= most));
}

function readingsOf(dialect, text) {
  const { calls } = readMessage(text, { tools, dialects: "auto" });
  const isReadAsItself = calls[0]?.dialect === dialect.name;
  if (dialect.bare) return isReadAsItself ? ["named", "whole"] : ["named"];
  return isReadAsItself ? ["auto"] : ["named"];
}

export function write(dialect, size) {
  return dialect.write([{ name: toolName, arguments: JSON.stringify(argumentsOf(size)) }]);
}

/** Counts, so that what is measured is the reader and that something is done with what it tells. */
class Counter {
  text = 0;
  arguments = 0;
  done = 0;
  span(kind, text) {
    if (kind === "text") this.text += text.length;
  }
  callStarted() {}
  callArguments(_call, delta) {
    this.arguments += delta.length;
  }
  callDone() {
    this.done++;
  }
  repaired() {}
  rejected() {}
}

const strideLength = 4096;

/** Reads the message that many times. A batch that takes too long is left where it is: `count` tells how far it came. */
export function runOurs(choice, deltas, times, longest) {
  const counter = new Counter();
  const until = performance.now() + longest;
  const before = process.cpuUsage();
  let count = 0;
  let isCapped = false;
  for (let time = 0; time < times && !isCapped; time++) {
    const reader = createReader({ tools, dialects: choice }, counter);
    for (let from = 0; from < deltas.length && !isCapped; from += strideLength) {
      const to = Math.min(from + strideLength, deltas.length);
      for (let at = from; at < to; at++) reader.push(deltas[at]);
      count += to - from;
      isCapped = performance.now() > until;
    }
    if (!isCapped) reader.end();
  }
  const { user, system } = process.cpuUsage(before);
  return { cpu: user + system, count, isCapped, counter };
}

/**
 * Throws with a sentence if the call does not come out as it went in; else returns how long its arguments are, which every
 * measured reading must find too. The longest message comes in larger pieces here: a check of each would double the run.
 */
export function checkOurs({ dialect, choice }, size) {
  const length = size === sizes["1 MB"] ? 1024 * deltaLength : deltaLength;
  const pieces = deltasOf(write(dialect, size), length);
  const { calls, text, repairs, rejected } = readMessage(pieces, { tools, dialects: choice });
  const [call] = calls;
  if (rejected.length > 0) throw new Error(`it was taken for text: ${rejected[0].reason}`);
  if (calls.length !== 1 || !call.isWhole) throw new Error(`${calls.length} calls came, and not one whole one`);
  if (call.name !== toolName) throw new Error(`the call is one of ${call.name}`);
  if (call.dialect !== dialect.name) throw new Error(`it was read as ${call.dialect}`);
  if (text !== "") throw new Error("part of the call came as text");
  if (repairs.length > 0) throw new Error(`it was repaired (${repairs[0].repair})`);
  const expected = argumentsOf(size);
  const { path, content, ...others } = JSON.parse(call.arguments);
  if (path !== expected.path || content !== expected.content || Object.keys(others).length > 0)
    throw new Error("its arguments are not those that were written");
  return call.arguments.length;
}

export function checkOurText({ choice }) {
  const expected = textOf(sizes["10 KB"]);
  const { text, calls } = readMessage(deltasOf(expected), { tools, dialects: choice });
  if (text !== expected || calls.length > 0) throw new Error("plain text did not come as it is");
}
