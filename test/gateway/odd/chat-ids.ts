import { delta, entries, entry, nothing, type OddAnswer, oslo, rome } from "./forms.ts";

const longId = `call_${"x".repeat(80)}`;
const [half, rest] = ['{"city":', '"Rome"}'];
const legacy = { name: "get_weather", arguments: '{"city":"Rome"}' };

/** Chat providers that are wrong about ids. */
export const chatIds: Record<string, OddAnswer> = {
  "leaves out the id": {
    reply: entries([entry({ index: 0 }, rome)]),
    calls: [rome],
    repairs: ["missing_id"],
  },
  "sends an empty id": {
    reply: entries([
      entry({ index: 0, id: "" }, { name: "get_weather", arguments: half }),
      entry({ index: 0, id: "" }, { arguments: rest }),
    ]),
    calls: [rome],
    repairs: ["missing_id"],
  },
  "sends null for what is not there": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: null }),
      { index: 0, id: null, type: null, function: { name: null, arguments: rome.arguments } },
    ]),
    calls: [{ id: "c1", ...rome }],
    repairs: [],
  },
  "sends a number as the id": {
    reply: entries([entry({ index: 0, id: 7 }, rome)]),
    calls: [{ id: "7", ...rome }],
    repairs: [],
  },
  "repeats an id for another call": {
    reply: entries([entry({ index: 0, id: "c1" }, rome), entry({ index: 1, id: "c1" }, oslo)]),
    calls: [{ id: "c1", ...rome }, oslo],
    repairs: ["repeated_id"],
  },
  "sends the same call twice": {
    reply: entries([entry({ index: 0, id: "c1" }, rome), entry({ index: 1, id: "c1" }, rome)]),
    calls: [{ id: "c1", ...rome }],
    repairs: ["duplicate"],
  },
  "sends two calls under one id, and then the first of them again": {
    reply: entries([
      entry({ index: 0, id: "c1" }, rome),
      entry({ index: 1, id: "c1" }, oslo),
      entry({ index: 2, id: "c1" }, rome),
    ]),
    calls: [{ id: "c1", ...rome }, oslo],
    repairs: ["repeated_id", "duplicate"],
  },
  "repeats the whole call at the end": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: half }),
      { index: 0, function: { arguments: rest } },
      entry({ index: 0, id: "c1" }, rome),
    ]),
    calls: [{ id: "c1", ...rome }],
    repairs: ["duplicate"],
  },
  "makes the same call again after some text": {
    reply: {
      chunks: [
        delta({ tool_calls: [entry({ index: 0, id: "c1" }, nothing)] }),
        delta({ content: "Again:" }),
        delta({ tool_calls: [entry({ index: 0, id: "c1" }, nothing)] }),
        delta({}, "tool_calls"),
      ],
    },
    calls: [{ id: "c1", ...nothing }],
    text: "Again:",
    repairs: ["duplicate"],
  },
  "writes the call in the legacy form too": {
    reply: {
      chunks: [
        delta({ tool_calls: [entry({ index: 0, id: "c1" }, rome)], function_call: legacy }),
        delta({}, "tool_calls"),
      ],
    },
    calls: [{ id: "c1", ...rome }],
    repairs: ["duplicate"],
  },
  "sends an id that others would reject": {
    reply: entries([entry({ index: 0, id: "functions.get_weather:0" }, rome)]),
    calls: [rome],
    repairs: ["unusable_id"],
  },
  "sends an id that is too long for others": {
    reply: entries([entry({ index: 0, id: longId }, rome)]),
    calls: [rome],
    repairs: ["unusable_id"],
  },
  "makes a new id for every piece": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: half }),
      entry({ index: 0, id: "c2" }, { arguments: rest }),
    ]),
    calls: [{ id: "c1", ...rome }],
    repairs: [],
  },
};
