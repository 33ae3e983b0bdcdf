import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { readAnswer } from "./client.mjs";
import { cpuOf } from "./process-tree.mjs";
import { chatBody } from "./scenarios.mjs";
import { inTurns, settling } from "./turns.mjs";

/** What is compiled once is no cost of a request. */
export async function warmUpAll(contenders, scenario) {
  for (const { run } of contenders) await run(scenario);
}

/** The contenders take turns (A B C A B C …), so that a machine that slows down slows all of them. The first round is not counted. */
export async function measureRounds(contenders, scenario, rounds, provider) {
  const results = new Map(contenders.map(({ name }) => [name, []]));
  const heard = [];
  for (let round = -1; round < rounds; round++) {
    for (const { name, run, program } of contenders) {
      const before = program && cpuOf(program);
      const { cpu, answers } = await run(scenario);
      for (const answer of answers) check(name, scenario, answer);
      const codex = program && (cpuOf(program) - before) / scenario.requests;
      if (round >= 0) results.get(name).push({ cpu: cpu / scenario.requests, codex, answers: answers.map(times) });
      else heard.push(await provider.ask("lastHeard"));
    }
  }
  if (heard.some((body) => !isDeepStrictEqual(body, heard[0]))) {
    throw new Error("what reached the provider is not the same for everybody");
  }
  return results;
}

/** The driver is the process itself, which knows its CPU. */
export function directRun(driver) {
  return ({ model, requests, concurrency }) => driver.ask("batch", { model, requests, concurrency });
}

export function gatewayRun(gateway, client, stream) {
  return async (scenario) => {
    const body = chatBody(scenario, stream);
    const before = await gateway.ask("cpu");
    const answers = await inTurns(scenario, () => client.ask(body));
    await sleep(settling);
    const after = await gateway.ask("cpu");
    const cpu = after.user - before.user + (after.system - before.system);
    return { cpu, answers: answers.map((answer) => readAnswer(answer, stream)) };
  };
}

function times({ first, total, reads }) {
  return { first, total, reads };
}

/** A wrong answer is an error, not a number. Codex gives the text in the model's deltas, and the arguments of a call at once. */
function check(name, { kind, pieces }, answer) {
  const wanted = pieces.join("");
  if (answer.pieces.join("") !== wanted) throw new Error(`${name} gave a wrong answer: ${answer.pieces.join("")}`);
  const isStream = name !== "whole";
  if (kind === "text" && isStream && answer.pieces.length !== pieces.length) {
    throw new Error(`${name} gave ${answer.pieces.length} deltas of ${pieces.length}`);
  }
}
