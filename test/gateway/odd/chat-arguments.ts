import { expect } from "vitest";
import { entries, entry, nothing, type OddAnswer, rome } from "./forms.ts";

const [half, rest] = ['{"city":', '"Rome"}'];

/** Chat providers that are wrong about arguments. */
export const chatArguments: Record<string, OddAnswer> = {
  "sends the arguments as an object": {
    reply: entries([entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: { city: "Rome" } })]),
    calls: [{ id: "c1", ...rome }],
    repairs: ["arguments_object"],
  },
  "sends the same object in every delta": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: {} }),
      { index: 0, function: { arguments: { city: "Ro" } } },
      { index: 0, function: { arguments: { city: "Rome" } } },
      { index: 0, function: { arguments: { city: "Rome" } } },
    ]),
    calls: [{ id: "c1", ...rome }],
    repairs: ["arguments_object"],
  },
  "sends the same whole text twice": {
    reply: entries([entry({ index: 0, id: "c1" }, rome), { index: 0, function: { arguments: rome.arguments } }]),
    calls: [{ id: "c1", ...rome }],
    repairs: [],
  },
  "sends an empty object before the arguments": {
    reply: entries([
      entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: "{}" }),
      { index: 0, function: { arguments: half } },
      { index: 0, function: { arguments: rest } },
    ]),
    calls: [{ id: "c1", ...rome }],
    repairs: ["arguments_object"],
  },
  "sends an empty list for no arguments": {
    reply: entries([entry({ index: 0, id: "c1" }, { name: "refresh", arguments: [] })]),
    calls: [{ id: "c1", ...nothing }],
    repairs: ["arguments_object"],
  },
  "sends empty arguments": {
    reply: entries([entry({ index: 0, id: "c1" }, { name: "refresh", arguments: "" })]),
    calls: [{ id: "c1", ...nothing }],
    repairs: ["arguments_empty"],
  },
  "sends white space for arguments": {
    reply: entries([entry({ index: 0, id: "c1" }, { name: "refresh", arguments: " " })]),
    calls: [{ id: "c1", name: "refresh", arguments: expect.stringMatching(/^ ?{}$/) }],
    repairs: ["arguments_empty"],
  },
  "sends no arguments": {
    reply: entries([entry({ index: 0, id: "c1" }, { name: "refresh" }), entry({ index: 1, id: "c2" }, rome)]),
    calls: [
      { id: "c1", ...nothing },
      { id: "c2", ...rome },
    ],
    repairs: ["arguments_empty"],
  },
  "sends a call that says nothing": {
    reply: entries([
      {},
      { index: 0, id: "", function: { name: "", arguments: "" } },
      entry({ index: 0, id: "c1" }, rome),
    ]),
    calls: [{ id: "c1", ...rome }],
    repairs: [],
  },
};
