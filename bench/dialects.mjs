import { writeFileSync } from "node:fs";
import { readOptions, usage } from "./dialects/options.mjs";
import { hasPeer, loadPeer, peerName, peerVersion } from "./dialects/peer.mjs";
import { peerTable, summarise, table } from "./dialects/report.mjs";
import { checkAll, measureRounds } from "./dialects/rounds.mjs";
import { findSubjects } from "./dialects/subjects.mjs";
import { machine, progress, runBench } from "./measure/command.mjs";

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
  const other = peer && { name: peerName, version: peerVersion };
  return { machine: machine(), rounds, quick, peer: other, dialects };
}

await runBench({ readOptions, usage, limitOf: ({ rounds }) => 240_000 + rounds * 60_000, main });
