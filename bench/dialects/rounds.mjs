import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { hasPeer, isIntact, runTheirs } from "./peer.mjs";
import { checkOurs, checkOurText, runOurs, write } from "./subjects.mjs";
import { deltaLength, deltasOf, sizes, textOf } from "./texts.mjs";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** Only what is young: a whole collection also throws compiled code away, and the next batch would be one of compiling. */
const collectGarbage = () => collect({ type: "minor" });

/** Milliseconds after which a batch is left: something that is not linear must not keep the run from ending. */
const longestOurs = 10_000;
const longestTheirs = 6000;

/** How many deltas a batch has at least: a message that is shorter is read again and again. */
const full = { batch: 20_000, peerBatch: 1000, warmUps: 8 };
const quick = { batch: 8000, peerBatch: 250, warmUps: 4 };

/** The other parser takes a second and more for one message of 10 KB: it is in so many rounds, and has the longer ones once. */
const peerRounds = 2;
const peerSizes = ["1 KB", "10 KB"];
const onceSize = "100 KB";

/** Checks, outside of what is measured, that what went in comes out. Those that fail are not measured: `wrong` says why. */
export function checkAll(subjects) {
  for (const subject of subjects) {
    let what = "text";
    try {
      checkOurText(subject);
      subject.lengths = {};
      for (const [name, size] of Object.entries(subject.sizes)) {
        what = name;
        subject.lengths[name] = checkOurs(subject, size);
      }
    } catch (error) {
      subject.wrong = `${what}: ${error.message}`;
    }
  }
}

/**
 * Every dialect in every round, one after the other: plain text, then a call of each size, then the same of the other parser.
 * Code that all dialects share has been compiled for all of them before the first number is taken. `stream` is what a delta costs
 * in a stream that does nothing.
 */
export async function measureRounds(subjects, peer, { rounds, quick: isQuick }, progress) {
  const amounts = isQuick ? quick : full;
  const streams = [];
  const results = subjects.map((subject) => {
    const protocol = hasPeer(subject) ? peer?.get(subject.dialect.name) : undefined;
    return { subject, protocol, ours: {}, theirs: {} };
  });
  // Twice, for what the last dialect teaches the compiler holds for the first one too.
  for (const result of [...results, ...results]) await warmUp(result, amounts);
  progress("warm");
  for (let round = 0; round < rounds; round++) {
    for (const result of results) {
      measureOurs(result, amounts);
      if (result.protocol && round < peerRounds) await measureTheirs(result, streams, amounts);
      await setImmediate();
    }
    progress(`round ${round + 1} of ${rounds}`);
  }
  for (const result of results) {
    if (!result.protocol || isQuick) continue;
    await measureTheirCall(result, onceSize, 1);
    progress(`the other parser at ${onceSize}: ${result.subject.name}`);
  }
  return { results, stream: Math.min(...streams) };
}

/** Until it gets no faster. */
async function warmUp({ subject, protocol }, { batch, warmUps }) {
  const calls = deltasOf(write(subject.dialect, sizes["10 KB"]));
  for (const deltas of [deltasOf(textOf(sizes["10 KB"])), calls]) {
    let best = Number.POSITIVE_INFINITY;
    for (let times = 0; times < warmUps; times++) {
      const { cpu } = runOurs(subject.choice, deltas, Math.ceil(batch / deltas.length), longestOurs);
      if (times > 2 && cpu > best * 0.9) break;
      best = Math.min(best, cpu);
      await setImmediate();
    }
    if (protocol) await runTheirs(protocol, deltas, 1, longestTheirs / 8);
  }
}

function measureOurs({ subject, ours }, { batch }) {
  measureOurText(subject, ours, batch);
  for (const [name, size] of Object.entries(subject.sizes)) {
    if (ours[name]?.at(-1)?.isCapped) continue;
    const deltas = deltasOf(write(subject.dialect, size));
    const times = Math.ceil(batch / deltas.length);
    const { cpu, count, isCapped, counter } = measured(subject, deltas, times);
    const isRight = counter.done === times && counter.arguments === times * subject.lengths[name];
    if (!isRight && !isCapped) throw new Error(`${subject.name}, ${name}: a measured batch was read wrongly`);
    add(ours, name, { cpu: cpu / count, isCapped });
  }
}

function measureOurText(subject, ours, batch) {
  const text = textOf(sizes["100 KB"]);
  const deltas = deltasOf(text);
  const times = Math.ceil(batch / deltas.length);
  const { cpu, count, isCapped, counter } = measured(subject, deltas, times);
  if (counter.text !== times * text.length) throw new Error(`${subject.name}: plain text was read wrongly`);
  add(ours, "text", { cpu: cpu / count, isCapped });
}

function measured({ choice }, deltas, times) {
  collectGarbage();
  return runOurs(choice, deltas, times, longestOurs);
}

async function measureTheirs(result, streams, { peerBatch }) {
  const { protocol, theirs } = result;
  const deltas = deltasOf(textOf(sizes["10 KB"]));
  for (const stream of [undefined, protocol]) {
    collectGarbage();
    const { cpu, count, isCapped } = await runTheirs(stream, deltas, 2, longestTheirs);
    if (stream) add(theirs, "text", { cpu: cpu / count, isCapped });
    else streams.push(cpu / count);
  }
  for (const name of peerSizes) {
    await measureTheirCall(result, name, Math.ceil((peerBatch * deltaLength) / sizes[name]));
  }
}

async function measureTheirCall({ subject, protocol, theirs }, name, times) {
  const deltas = deltasOf(write(subject.dialect, sizes[name]));
  collectGarbage();
  const { cpu, count, isCapped, call } = await runTheirs(protocol, deltas, times, longestTheirs);
  add(theirs, name, { cpu: cpu / count, isCapped, isIntact: isCapped || isIntact(call, sizes[name]) });
}

function add(numbers, name, number) {
  numbers[name] ??= [];
  numbers[name].push(number);
}
