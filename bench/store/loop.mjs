import { checkAnswer } from "../measure/check.mjs";
import { progress } from "../measure/command.mjs";
import { median } from "../measure/numbers.mjs";
import { aligned } from "../measure/table.mjs";
import { contentOf, modelName } from "../servers/script.mjs";
import { requestOf } from "../stream/scenarios.mjs";

const concurrency = 250;
const script = { kind: "text", pieces: 20, perWrite: 20 };
const scenario = { client: "responses", backend: "chat", kind: "text", stream: true, model: modelName(script) };

/** How late the gateway's event loop is while many turns end at once, and old ones are deleted. */
export async function runLoop(bench, { quick, rounds }) {
  const summaries = [];
  for (const store of bench.stores) {
    const gateway = await bench.startGateway(store);
    const delays = { off: [], on: [] };
    // What the turns before left is old at once: there is always something to delete.
    await gateway.ask("retain", { keep: 1_000 });
    for (let round = 0; round <= Math.min(rounds, quick ? 2 : 5); round++) {
      for (const isKept of [false, true]) {
        const delay = await delayOf(gateway, bench.load, isKept, quick ? 1_000 : 2_500);
        if (round > 0) delays[isKept ? "on" : "off"].push(delay);
      }
    }
    for (const [name, measured] of Object.entries(delays))
      summaries.push({ store: store.name, name, ...medians(measured) });
    progress(`event loop, ${store.name}`);
  }
  console.log(`\nms that the event loop is late, ${concurrency} turns at once\n\n${table(summaries)}\n`);
  return summaries;
}

async function delayOf(gateway, load, isKept, count) {
  const { url, body } = requestOf(scenario, { url: gateway.url, translates: true });
  await gateway.ask("beginDelay");
  const { answers } = await load.batch(url, { ...body, store: isKept }, { count, concurrency });
  const delay = await gateway.ask("endDelay");
  for (const answer of answers)
    checkAnswer(answer, { api: "responses", stream: true, kind: "text", pieces: contentOf(script) });
  return delay;
}

function medians(measured) {
  return Object.fromEntries(["p50", "p99", "max"].map((name) => [name, median(measured.map((delay) => delay[name]))]));
}

function table(summaries) {
  const rows = summaries.map(({ store, name, p50, p99, max }) => [
    store,
    name,
    ...[p50, p99, max].map((number) => number.toFixed(1)),
  ]);
  return aligned([["store", "turns stored", "p50", "p99", "max"], ...rows], 2);
}
