import { added, completed, done, item, noon, type OddAnswer, oslo, piece, rome } from "./forms.ts";

const [half, rest] = ['{"city":', '"Rome"}'];
const one = item("c1", rome);
const two = item("c2", noon);
const other = item("c2", oslo);
const again = item("c1", oslo);

/** Responses providers that are wrong about ids and places. */
export const responsesPlaces: Record<string, OddAnswer> = {
  "leaves out a call's ids": {
    reply: {
      chunks: [
        added(0, { type: "function_call", name: "get_weather" }),
        piece(0, undefined, rome.arguments),
        done(0, { type: "function_call", ...rome }),
        completed([{ type: "function_call", ...rome }]),
      ],
    },
    calls: [rome],
    repairs: ["missing_id"],
  },
  "repeats the ids for another call": {
    reply: {
      chunks: [
        added(0, one),
        piece(0, "fc_c1", rome.arguments),
        done(0, one),
        added(1, item("c1", oslo)),
        piece(1, "fc_c1", oslo.arguments),
        done(1, item("c1", oslo)),
        completed([one, item("c1", oslo)]),
      ],
    },
    calls: [{ id: "c1", ...rome }, oslo],
    repairs: ["repeated_id"],
  },
  "sends the same call twice": {
    reply: {
      chunks: [
        added(0, one),
        piece(0, "fc_c1", rome.arguments),
        done(0, one),
        added(1, one),
        done(1, one),
        completed([one, one]),
      ],
    },
    calls: [{ id: "c1", ...rome }],
    repairs: ["duplicate"],
  },
  "sends an id that others would reject": {
    reply: {
      chunks: [
        added(0, item("functions.get_weather:0", rome)),
        piece(0, undefined, rome.arguments),
        done(0, item("functions.get_weather:0", rome)),
        completed([]),
      ],
    },
    calls: [rome],
    repairs: ["unusable_id"],
  },
  "gives every event another item id": {
    reply: {
      chunks: [
        added(0, one),
        piece(0, "fc_b", half),
        piece(0, "fc_c", rest),
        done(0, { ...one, id: "fc_d" }),
        completed([{ ...one, id: "fc_e" }]),
      ],
    },
    calls: [{ id: "c1", ...rome }],
    repairs: [],
  },
  "gives output_index 0 to all items": {
    reply: {
      chunks: [
        added(0, one),
        piece(0, "fc_c1", rome.arguments),
        done(0, one),
        added(0, two),
        piece(0, "fc_c2", noon.arguments),
        done(0, two),
        completed([one, two]),
      ],
    },
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...noon },
    ],
    repairs: ["shared_index"],
  },
  "gives output_index 0 to all items and mixes them": {
    reply: {
      chunks: [
        added(0, one),
        added(0, other),
        piece(0, "fc_c1", half),
        piece(0, "fc_c2", '{"city":'),
        piece(0, "fc_c1", rest),
        piece(0, "fc_c2", '"Oslo"}'),
        done(0, one),
        done(0, other),
        completed([one, other]),
      ],
    },
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...oslo },
    ],
    repairs: ["shared_index", "interleaved"],
  },
  "repeats the ids for another call and mixes them": {
    reply: {
      chunks: [
        added(0, one),
        added(1, again),
        piece(0, "fc_c1", rome.arguments),
        piece(1, "fc_c1", oslo.arguments),
        done(0, one),
        done(1, again),
        completed([one, again]),
      ],
    },
    calls: [{ id: "c1", ...rome }, oslo],
    repairs: ["repeated_id", "interleaved"],
  },
  "gives output_index 0 to all items, and no ids": {
    reply: {
      chunks: [rome, oslo]
        .flatMap((call) => [
          added(0, { type: "function_call", name: call.name }),
          piece(0, undefined, call.arguments),
          done(0, { type: "function_call", ...call }),
        ])
        .concat(completed([rome, oslo].map((call) => ({ type: "function_call", ...call })))),
    },
    calls: [rome, oslo],
    repairs: ["missing_id", "missing_id", "shared_index"],
  },
  "leaves out output_index": {
    reply: {
      chunks: [
        added(undefined, one),
        piece(undefined, "fc_c1", rome.arguments),
        done(undefined, one),
        added(undefined, two),
        piece(undefined, "fc_c2", noon.arguments),
        done(undefined, two),
        completed([one, two]),
      ],
    },
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...noon },
    ],
    repairs: ["missing_index", "missing_index"],
  },
  "mixes the pieces of its calls": {
    reply: {
      chunks: [
        added(0, one),
        added(1, two),
        piece(1, "fc_c2", noon.arguments),
        piece(0, "fc_c1", half),
        piece(0, "fc_c1", rest),
        done(1, two),
        done(0, one),
        completed([one, two]),
      ],
    },
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...noon },
    ],
    repairs: ["interleaved"],
  },
};
