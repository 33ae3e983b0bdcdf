import { argumentsAtHold, marks } from "../servers/many-calls.mjs";
import { modelName } from "../servers/script.mjs";

/** The memory of calls: streams of few and of many calls, as many as a client's index can count. */
export const calls = {
  names: ["memory", "calls"],
  budget: 250,
  size: { streams: 60, few: 8, many: 120 },
  runs: ["chat", "responses"].flatMap((client) => ["open", "finished"].map((state) => run(client, state))),
};

function run(client, state) {
  return {
    client,
    state,
    mark: marks[state],
    /** Every call has as many: what is theirs is not the call's. */
    argumentBytes: argumentsAtHold(state, 0).length,
    scenario: (count) => ({
      client,
      backend: "chat",
      kind: "call",
      stream: true,
      model: modelName({ kind: state, pieces: count, perWrite: 1 }),
    }),
  };
}
