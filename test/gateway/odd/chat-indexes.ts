import { delta, entries, entry, noon, nothing, type OddAnswer, oslo, rome } from "./forms.ts";

const [half, rest] = ['{"city":', '"Rome"}'];

/** Chat providers that are wrong about indexes. */
export const chatIndexes: Record<string, OddAnswer> = {
  "gives index 0 to all calls": {
    reply: entries([
      entry({ index: 0, id: "c1" }, rome),
      entry({ index: 0, id: "c2" }, { name: "refresh", arguments: "" }),
      entry({ index: 0, id: "c3" }, noon),
    ]),
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...nothing },
      { id: "c3", ...noon },
    ],
    repairs: ["shared_index", "shared_index", "arguments_empty"],
  },
  "gives index 0 to all calls, and no ids": {
    reply: entries([entry({ index: 0 }, rome), entry({ index: 0 }, { name: "refresh" }), entry({ index: 0 }, noon)]),
    calls: [rome, nothing, noon],
    repairs: ["missing_id", "missing_id", "missing_id", "shared_index", "shared_index", "arguments_empty"],
  },
  "gives index 0 to all calls and mixes them": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: "" }),
      entry({ index: 0, id: "c2" }, { name: "get_time", arguments: "" }),
      entry({ index: 0, id: "c1" }, { arguments: rome.arguments }),
      entry({ index: 0, id: "c2" }, { arguments: noon.arguments }),
    ]),
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...noon },
    ],
    repairs: ["shared_index", "interleaved"],
  },
  "leaves out the index": {
    reply: entries([entry({ id: "c1" }, rome), entry({ id: "c2" }, oslo)]),
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...oslo },
    ],
    repairs: ["missing_index", "missing_index"],
  },
  "leaves out the index and mixes calls": {
    reply: entries([
      entry({ id: "c1" }, { name: "get_weather", arguments: half }),
      entry({ id: "c2" }, { name: "get_time", arguments: '{"zone":' }),
      entry({ id: "c1" }, { arguments: rest }),
      entry({ id: "c2" }, { arguments: '"UTC"}' }),
    ]),
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...noon },
    ],
    repairs: ["missing_index", "missing_index", "interleaved"],
  },
  "leaves out index and id after a call's first piece": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: half }),
      { function: { arguments: rest } },
      entry({ index: 1, id: "c2" }, { name: "get_time", arguments: '{"zone":' }),
      { function: { arguments: '"UTC"}' } },
    ]),
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...noon },
    ],
    repairs: ["missing_index", "missing_index"],
  },
  "leaves out index and id": {
    reply: entries([entry({}, rome), entry({}, oslo)]),
    calls: [rome, oslo],
    repairs: ["missing_index", "missing_index", "missing_id", "missing_id"],
  },
  "sends the index as text": {
    reply: entries([
      entry({ index: "0", id: "c1" }, { name: "get_weather", arguments: half }),
      entry({ index: "1", id: "c2" }, noon),
      { index: "0", function: { arguments: rest } },
    ]),
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...noon },
    ],
    repairs: ["missing_index", "missing_index", "interleaved"],
  },
  "counts as nobody does": {
    reply: entries([
      entry({ index: -1, id: "c1" }, { name: "get_weather", arguments: half }),
      { index: -1, function: { arguments: rest } },
      entry({ index: 0.5, id: "c2" }, noon),
      entry({ index: 9e15, id: "c3" }, oslo),
    ]),
    calls: [rome, noon, oslo],
    repairs: [],
  },
  "mixes the pieces of its calls": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: "" }),
      entry({ index: 1, id: "c2" }, { name: "get_time", arguments: "" }),
      { index: 0, function: { arguments: half } },
      { index: 1, function: { arguments: '{"zone":' } },
      { index: 0, function: { arguments: rest } },
      { index: 1, function: { arguments: '"UTC"}' } },
    ]),
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...noon },
    ],
    repairs: ["interleaved"],
  },
  "sends a second choice that nobody asked for": {
    reply: {
      chunks: [
        { choices: [{ index: 1, delta: { tool_calls: [entry({ index: 0, id: "x" }, oslo)] }, finish_reason: null }] },
        delta({ tool_calls: [entry({ index: 0, id: "c1" }, rome)] }),
        {
          choices: [
            { index: 1, delta: {}, finish_reason: "length" },
            { index: 0, delta: {}, finish_reason: "tool_calls" },
          ],
        },
      ],
    },
    calls: [{ id: "c1", ...rome }],
    repairs: [],
  },
};
