import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { readOptions, usage } from "./dialects/options.mjs";
import { hasPeer, loadPeer, peerName, peerVersion } from "./dialects/peer.mjs";
import { peerTable, summarise, table } from "./dialects/report.mjs";
import { checkAll, measureRounds } from "./dialects/rounds.mjs";
import { findSubjects } from "./dialects/subjects.mjs";

/** What reading calls out of text costs, dialect by dialect, and beside another parser in the same run. */
async function main(options) {
  const subjects = findSubjects(options.only);
  if (subjects.length === 0) throw new Error(`there is no dialect "${options.only}"`);
  const peer = options.noPeer || !subjects.some(hasPeer) ? undefined : await tryPeer(options.peer);
  checkAll(subjects);
  progress(`${subjects.length} rows checked`);

  const right = subjects.filter(({ wrong }) => !wrong);
  const { results, stream } = await measureRounds(right, peer, options, progress);
  const bySubject = new Map(results.map((result) => [result.subject, result]));
  const summaries = subjects.map((subject) => summarise(bySubject.get(subject) ?? { subject }, stream));

  console.log(`\nµs of CPU a delta\n\n${table(summaries)}\n`);
  if (peer) console.log(`beside ${peerName} ${peerVersion}\n\n${peerTable(summaries)}\n`);
  if (options.json) writeFileSync(options.json, `${JSON.stringify(record(options, peer, summaries), null, 2)}\n`);
  if (right.length < subjects.length) process.exitCode = 1;
}

/** Without a network there is still our own half. */
async function tryPeer(folder) {
  try {
    const peer = await loadPeer(folder);
    progress(`${peerName} ${peerVersion} is there`);
    return peer;
  } catch (error) {
    progress(`without the other parser: ${error.message}`);
    return undefined;
  }
}

function record({ rounds, quick }, peer, dialects) {
  const machine = { node: process.version, platform: process.platform, arch: process.arch, cpus: cpus().length };
  const other = peer && { name: peerName, version: peerVersion };
  return { machine: { ...machine, cpu: cpus()[0]?.model }, rounds, quick, peer: other, dialects };
}

function progress(text) {
  process.stderr.write(`${performance.now().toFixed(0).padStart(7)} ms  ${text}\n`);
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(usage);
  else {
    const limit = 240_000 + options.rounds * 60_000;
    setTimeout(() => {
      console.error(`bench: not done after ${limit / 1000} s`);
      process.exit(1);
    }, limit).unref();
    await main(options);
  }
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}
