import { entries, entry, noon, type OddAnswer, rome } from "./forms.ts";

const [half, rest] = ['{"city":', '"Rome"}'];

/** Chat providers that are wrong about names. */
export const chatNames: Record<string, OddAnswer> = {
  "repeats the name in every delta": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: "" }),
      entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: half }),
      entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: rest }),
    ]),
    calls: [{ id: "c1", ...rome }],
    repairs: ["repeated_name"],
  },
  "repeats a name that nobody declared": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "other", arguments: "" }),
      entry({ index: 0, id: "c1" }, { name: "other", arguments: "" }),
      entry({ index: 0, id: "c1" }, { name: "other", arguments: "{}" }),
    ]),
    calls: [{ id: "c1", name: "other", arguments: "{}" }],
    repairs: ["repeated_name"],
  },
  "sends the name after the arguments": {
    reply: entries([
      { index: 0, id: "c1", function: { arguments: half } },
      { index: 0, function: { arguments: rest } },
      { index: 0, function: { name: "get_weather" } },
    ]),
    calls: [{ id: "c1", ...rome }],
    repairs: ["late_name"],
  },
  "sends the name in pieces": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get_", arguments: "" }),
      { index: 0, function: { name: "wea" } },
      { index: 0, function: { name: "ther", arguments: rome.arguments } },
    ]),
    calls: [{ id: "c1", ...rome }],
    repairs: ["split_name"],
  },
  "sends a name whose pieces are the same": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "cha" }),
      { index: 0, function: { name: "cha", arguments: "{}" } },
    ]),
    wish: { tools: [{ name: "chacha" }] },
    calls: [{ id: "c1", name: "chacha", arguments: "{}" }],
    repairs: ["split_name"],
  },
  "sends the names of two calls in pieces, mixed": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get_" }),
      entry({ index: 1, id: "c2" }, { name: "get_" }),
      { index: 0, function: { name: "weather" } },
      { index: 1, function: { name: "time" } },
      { index: 0, function: { arguments: rome.arguments } },
      { index: 1, function: { arguments: noon.arguments } },
    ]),
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...noon },
    ],
    repairs: ["split_name", "split_name", "interleaved"],
  },
  "sends what there is of the name each time": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get_" }),
      { index: 0, function: { name: "get_weather" } },
      { index: 0, function: { name: "get_weather", arguments: rome.arguments } },
    ]),
    calls: [{ id: "c1", ...rome }],
    repairs: ["repeated_name"],
  },
  "sends a name that another one begins with": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get", arguments: "" }),
      { index: 0, function: { name: "_all", arguments: "{}" } },
      entry({ index: 1, id: "c2" }, { name: "get", arguments: "{}" }),
    ]),
    wish: { tools: [{ name: "get" }, { name: "get_all" }] },
    calls: [
      { name: "get_all", arguments: "{}" },
      { name: "get", arguments: "{}" },
    ],
    repairs: ["split_name"],
  },
  "calls unknown tools, one of them without arguments": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "other", arguments: "" }),
      entry({ index: 1, id: "c2" }, { name: "another", arguments: "{}" }),
    ]),
    calls: [
      { id: "c1", name: "other", arguments: "{}" },
      { id: "c2", name: "another", arguments: "{}" },
    ],
    repairs: ["arguments_empty"],
  },
  "leaves out what should be around name and arguments": {
    reply: entries([{ index: 0, id: "c1", ...rome }]),
    calls: [{ id: "c1", ...rome }],
    repairs: [],
  },
};
