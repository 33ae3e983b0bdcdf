import { checkAnswer } from "./check.mjs";

/**
 * Runs every contender in every round, one after the other (A B C A B C …), so that a machine that slows down slows all of them.
 * A measured batch is the CPU of the process in the middle, user and system, from before its first request to after its last.
 *
 * Where the order is `alternating`, every other round runs backwards (A B C C B A …): between two that are nearly equal, it would show
 * who always comes first.
 */
export async function measureRounds(contenders, batchOf, { rounds, warmUps, alternating }) {
  const results = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = -warmUps; round < rounds; round++) {
    const isBackwards = alternating && round % 2 !== 0;
    for (const contender of isBackwards ? contenders.toReversed() : contenders) {
      const measured = await measureBatch(contender, batchOf(contender));
      if (round >= 0) results.get(contender.name).push(measured);
    }
  }
  return results;
}

async function measureBatch({ name, load, middle }, { url, body, size, expected }) {
  const before = await middle.ask("cpu");
  const { milliseconds, answers } = await load.batch(url, body, size);
  const after = await middle.ask("cpu");
  for (const answer of answers) check(name, answer, expected);
  return {
    cpu: after.user - before.user + (after.system - before.system),
    system: after.system - before.system,
    milliseconds,
    reads: answers.reduce((sum, { chunks }) => sum + chunks.length, 0) / answers.length,
  };
}

function check(name, answer, expected) {
  try {
    checkAnswer(answer, expected);
  } catch (error) {
    throw new Error(`${name} gave a wrong answer: ${error.message}`, { cause: error });
  }
}
