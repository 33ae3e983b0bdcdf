import { aligned } from "../measure/table.mjs";
import { kinds } from "./options.mjs";

const mostHeap = 300;

export class Progress {
  #cases;
  #toldAt = 0;

  constructor(cases) {
    this.#cases = cases;
  }

  tell(results) {
    const now = performance.now();
    const isTerminal = process.stderr.isTTY;
    if (now - this.#toldAt < (isTerminal ? 200 : 10_000)) return;
    this.#toldAt = now;
    const worst = Math.max(...results.map(({ held }) => held));
    const wrong = results.filter(({ findings }) => findings.length > 0).length;
    const line = `${results.length} of ${this.#cases} cases, ${wrong} with findings, longest stall ${worst.toFixed(0)} ms`;
    process.stderr.write(isTerminal ? `\r\x1b[K${line}` : `${line}\n`);
  }

  end() {
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  }
}

/** Prints the tables; whether there is nothing to complain about. */
export function report({ results, memory, openTurns, took, options: { seed, mostStall } }) {
  const longest = (key, list) => Math.max(0, ...list.map((result) => result[key])).toFixed(0);
  const over = (limit, list) => String(list.filter(({ held }) => held > limit).length);
  const rows = [...kinds, "all"].map((kind) => {
    const list = results.filter((result) => kind === "all" || result.kind === kind);
    const wrong = list.filter(({ findings }) => findings.length > 0).length;
    return [
      kind,
      String(list.length),
      longest("held", list),
      longest("waited", list),
      over(20, list),
      over(100, list),
      over(mostStall, list),
      (Math.max(0, ...list.map(({ rss }) => rss)) / 1024 / 1024).toFixed(0),
      String(wrong),
    ];
  });
  console.log(
    `\n${results.length} cases in ${(took / 1_000).toFixed(0)} s, ${results.reduce((sum, { probes }) => sum + probes, 0)} probes\n`,
  );
  console.log(
    aligned([
      [
        "kind",
        "cases",
        "longest stall, ms",
        "longest wait of a probe, ms",
        "> 20 ms",
        "> 100 ms",
        `> ${mostStall} ms`,
        "most memory, MB",
        "with findings",
      ],
      ...rows,
    ]),
  );
  console.log(
    `\nanswers by status   ${counted(results.flatMap(({ statuses }) => (statuses.length === 0 ? ["none"] : statuses)))}`,
  );
  console.log(`ends                ${counted(results.flatMap(({ endings }) => endings))}`);
  printWorst(results, seed);
  const memoryFinding = printMemory(memory);
  printFindings(results, seed);
  if (openTurns !== 0) console.log(`\nFAIL  ${openTurns} turns are still open`);
  if (memoryFinding !== null) console.log(`\nFAIL  ${memoryFinding}`);
  const wrong = results.filter(({ findings }) => findings.length > 0).length;
  const isWell = wrong === 0 && openTurns === 0 && memoryFinding === null;
  console.log(`\n${isWell ? "ok" : "FAIL"}  seed ${seed}: ${wrong} of ${results.length} cases with findings`);
  return isWell;
}

function counted(list) {
  const counts = new Map();
  for (const name of list) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .slice(0, 60)
    .join(", ");
}

function printWorst(results, seed) {
  const worst = results.toSorted((a, b) => b.held - a.held).slice(0, 10);
  const rows = worst.map(({ number, kind, held, late, waited, size, label }) => [
    String(number),
    kind,
    held.toFixed(0),
    late.toFixed(0),
    waited.toFixed(0),
    String(size),
    label.slice(0, 140),
  ]);
  console.log(`\nThe longest stalls (again: npm run fuzz -- --seed ${seed} --case N)\n`);
  console.log(aligned([["case", "kind", "CPU, ms", "timer late, ms", "probe, ms", "bytes", "what"], ...rows], 2));
}

function printMemory(memory) {
  const megabytes = (bytes) => (bytes / 1024 / 1024).toFixed(0);
  const known = memory.filter(({ heapUsed }) => heapUsed !== undefined);
  const rows = known.map(({ after, heapUsed, external, rss }) => [
    String(after),
    megabytes(heapUsed),
    megabytes(external),
    megabytes(rss),
  ]);
  console.log("\nMemory of the gateway after a garbage collection, in MB\n");
  console.log(aligned([["after cases", "heap", "external", "resident"], ...rows], 0));
  const last = known.at(-1);
  if (last === undefined) return null;
  const used = (last.heapUsed + last.external) / 1024 / 1024;
  return used > mostHeap ? `the gateway keeps ${used.toFixed(0)} MB when everybody is gone` : null;
}

/** Numbers and quoted texts are left out where findings are put together. */
function causeOf(finding) {
  return finding.replace(/\d+(?:\.\d+)?/g, "N").slice(0, 90);
}

function printFindings(results, seed) {
  const groups = new Map();
  for (const result of results) {
    for (const finding of new Set(result.findings)) {
      const cause = causeOf(finding);
      if (!groups.has(cause)) groups.set(cause, []);
      groups.get(cause).push({ ...result, finding });
    }
  }
  if (groups.size === 0) return;
  console.log(`\nFindings, by their words (again: npm run fuzz -- --seed ${seed} --case N)`);
  for (const [cause, list] of [...groups].sort(([, a], [, b]) => b.length - a.length)) {
    console.log(`\n${list.length} × ${cause}`);
    for (const { number, finding, label, size } of list.toSorted((a, b) => a.size - b.size).slice(0, 4)) {
      console.log(`  case ${number}, ${size} bytes: ${finding.slice(0, 200)}\n    ${label.slice(0, 260)}`);
    }
  }
}

/** All about one case. */
export function show(result, request, bytes, answers) {
  const piece = (text) => `${text.slice(0, 3_000)}${text.length > 3_000 ? `\n… ${text.length} characters` : ""}`;
  console.log(`\ncase ${result.number} (${result.kind}): ${result.label}`);
  console.log(`\n--- the client sends\n${piece(Buffer.concat(request.pieces).toString("utf8"))}`);
  for (const { key, body, ...rest } of answers) {
    console.log(
      `\n--- the provider answers (${key}) ${JSON.stringify(rest).slice(0, 600)}\n${piece(Buffer.from(body, "base64").toString("utf8"))}`,
    );
  }
  console.log(`\n--- the client gets (${result.how})\n${piece(bytes.toString("utf8"))}\n`);
}
