import { delta, entries, entry, message, noon, nothing, type OddAnswer, oslo, rome } from "./forms.ts";

const [half, rest] = ['{"city":', '"Rome"}'];
const legacy = { name: "get_weather", arguments: '{"city":"Rome"}' };

/** Chat providers whose end contradicts what they sent. */
export const chatEnds: Record<string, OddAnswer> = {
  "says stop although there are calls": {
    reply: entries([entry({ index: 0, id: "c1" }, rome)], "stop"),
    calls: [{ id: "c1", ...rome }],
    repairs: ["finish_reason"],
  },
  "says stop after a call that was forced, as the API does": {
    reply: entries([entry({ index: 0, id: "c1" }, rome)], "stop"),
    wish: { choice: { name: "get_weather" } },
    calls: [{ id: "c1", ...rome }],
    repairs: [],
  },
  "says tool_calls although there are none": {
    reply: { chunks: [delta({ content: "Hello." }), delta({}, "tool_calls")] },
    calls: [],
    text: "Hello.",
    repairs: ["finish_reason"],
  },
  "does not say why it stopped": {
    reply: entries([entry({ index: 0, id: "c1" }, rome)], null),
    calls: [{ id: "c1", ...rome }],
    repairs: ["finish_reason"],
  },
  "has the call in the final message only": {
    reply: {
      chunks: [
        delta({ role: "assistant", content: "" }),
        {
          choices: [
            {
              index: 0,
              delta: {},
              message: { role: "assistant", content: "Let me see.", tool_calls: [entry({ id: "c1" }, rome)] },
              finish_reason: "tool_calls",
            },
          ],
        },
      ],
    },
    calls: [{ id: "c1", ...rome }],
    text: "Let me see.",
    repairs: ["final_only"],
  },
  "repeats the answer in a final message": {
    reply: {
      chunks: [
        delta({ content: "Let me see." }),
        delta({ tool_calls: [entry({ index: 0, id: "c1" }, rome)] }),
        {
          choices: [
            {
              index: 0,
              message: { role: "assistant", content: "Let me see.", tool_calls: [entry({ id: "c1" }, rome)] },
              finish_reason: "tool_calls",
            },
          ],
        },
      ],
    },
    calls: [{ id: "c1", ...rome }],
    text: "Let me see.",
    repairs: [],
  },
  "answers in the legacy form and says stop": {
    reply: {
      chunks: [
        delta({ function_call: { name: "get_weather", arguments: half } }),
        delta({ function_call: { arguments: rest } }),
        delta({}, "stop"),
      ],
    },
    calls: [rome],
    repairs: ["missing_id", "finish_reason"],
  },
  "has an empty legacy call in every delta": {
    reply: {
      chunks: [
        delta({ content: "Hello.", function_call: { name: "", arguments: "" }, tool_calls: [] }),
        delta({ function_call: { name: "", arguments: "" } }, "stop"),
      ],
    },
    calls: [],
    text: "Hello.",
    repairs: [],
  },
};

/** Chat providers whose whole answers are odd. */
export const chatWholes: Record<string, OddAnswer> = {
  "leaves out ids in a whole answer": {
    reply: message({ tool_calls: [entry({}, rome), entry({ id: "" }, oslo)] }),
    calls: [rome, oslo],
    repairs: ["missing_id", "missing_id"],
  },
  "gives index 0 to all calls of a whole answer": {
    reply: message({
      tool_calls: [entry({ index: 0, id: "c1" }, { name: "refresh" }), entry({ index: 0, id: "c2" }, noon)],
    }),
    calls: [
      { id: "c1", ...nothing },
      { id: "c2", ...noon },
    ],
    repairs: ["arguments_empty"],
  },
  "sends the same call twice in a whole answer": {
    reply: message({ tool_calls: [entry({ id: "c1" }, rome), entry({ id: "c1" }, rome), entry({ id: "c1" }, oslo)] }),
    calls: [{ id: "c1", ...rome }, oslo],
    repairs: ["duplicate", "repeated_id"],
  },
  "sends objects in a whole answer, and says stop": {
    reply: message({ tool_calls: [entry({ id: "c1" }, { name: "get_weather", arguments: { city: "Rome" } })] }, "stop"),
    calls: [{ id: "c1", ...rome }],
    repairs: ["arguments_object", "finish_reason"],
  },
  "says tool_calls in a whole answer without any": {
    reply: message({ content: "Hello.", tool_calls: [] }),
    calls: [],
    text: "Hello.",
    repairs: ["finish_reason"],
  },
  "has the legacy form in a whole answer": {
    reply: message({ function_call: legacy }, "function_call"),
    calls: [rome],
    repairs: ["missing_id"],
  },
};
