import { progress } from "../measure/command.mjs";
import { median, ratioOf } from "../measure/numbers.mjs";
import { measureRounds } from "../measure/rounds.mjs";
import { aligned } from "../measure/table.mjs";
import { planStream } from "../servers/plan.mjs";
import { contentOf, modelName, wholeText } from "../servers/script.mjs";
import { requestOf } from "../stream/scenarios.mjs";

const concurrency = 8;
const budget = 1.15;

const scenarios = [
  stream("responses", 100, 1, 8),
  stream("responses", 400, 1, 4),
  stream("responses", 400, 20, 8),
  stream("chat", 100, 1, 8),
  whole("responses"),
];

function stream(client, pieces, perWrite, requests) {
  const script = { kind: "text", pieces, perWrite };
  return {
    name: `${client}, ${pieces} deltas, ${perWrite} a write`,
    client,
    stream: true,
    model: modelName(script),
    pieces: contentOf(script),
    events: planStream("chat", modelName(script)).events,
    requests,
    warmUps: 6,
    budget,
  };
}

function whole(client) {
  const model = modelName({ kind: "text", pieces: 1, perWrite: 1 });
  return { name: `${client}, whole`, client, stream: false, model, pieces: [wholeText], requests: 100, warmUps: 15 };
}

/** What a turn costs the gateway's process, all threads together, with the store and without. */
export async function runCpu(bench, options) {
  const contenders = [];
  for (const store of bench.stores) {
    const middle = await bench.startGateway(store);
    for (const isKept of [false, true]) {
      contenders.push({
        name: nameOf(store, isKept),
        isKept,
        url: middle.url,
        translates: true,
        middle,
        load: bench.load,
      });
    }
  }
  const summaries = [];
  for (const scenario of scenarios) {
    const results = await measureRounds(contenders, (contender) => batchOf(scenario, contender), {
      rounds: options.rounds,
      warmUps: options.quick ? 2 : scenario.warmUps,
      alternating: true,
    });
    for (const store of bench.stores) summaries.push(summarise(scenario, store, results));
    progress(scenario.name);
  }
  console.log(`\nµs of CPU a turn, with the store and without\n\n${table(summaries)}\n`);
  return summaries;
}

function nameOf({ name }, isKept) {
  return `${name} ${isKept ? "on" : "off"}`;
}

function batchOf(scenario, contender) {
  const kind = "text";
  const { client: api, stream, pieces, requests: count } = scenario;
  const { url, body } = requestOf({ ...scenario, kind, backend: "chat" }, contender);
  const size = { count, concurrency };
  return { url, body: { ...body, store: contender.isKept }, size, expected: { api, stream, kind, pieces } };
}

function summarise(scenario, store, results) {
  const perTurn = (isKept) => results.get(nameOf(store, isKept)).map(({ cpu }) => cpu / scenario.requests);
  const [off, on] = [perTurn(false), perTurn(true)];
  const ratio = ratioOf(on, off);
  const { name, budget } = scenario;
  return { scenario: name, store: store.name, off: median(off), on: median(on), ratio, budget, rounds: { off, on } };
}

function table(summaries) {
  const rows = summaries.map(({ scenario, store, off, on, ratio, budget }) => [
    scenario,
    store,
    off.toFixed(0),
    on.toFixed(0),
    ratio.median.toFixed(2),
    `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`,
    ratio.total.toFixed(2),
    budget === undefined ? "–" : `≤ ${budget}`,
    budget === undefined ? "" : ratio.median <= budget ? "pass" : "OVER",
  ]);
  return aligned([["turn", "store", "off", "on", "ratio", "min–max", "total", "budget", ""], ...rows], 2);
}
