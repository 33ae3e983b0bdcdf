import { added, completed, done, item, noon, nothing, type OddAnswer, oslo, piece, rome } from "./forms.ts";

const [half, rest] = ['{"city":', '"Rome"}'];
const one = item("c1", rome);
const two = item("c2", noon);
const type = "response.function_call_arguments.done";

/** Responses providers that leave parts of a call to its end, or out. */
export const responsesParts: Record<string, OddAnswer> = {
  "has the arguments in arguments.done only": {
    reply: {
      chunks: [
        added(0, one),
        { type, output_index: 0, item_id: "fc_c1", arguments: rome.arguments },
        done(0, one),
        completed([one]),
      ],
    },
    calls: [{ id: "c1", ...rome }],
    repairs: ["arguments_at_end"],
  },
  "has the arguments in output_item.done only": {
    reply: { chunks: [added(0, one), done(0, one), completed([one])] },
    calls: [{ id: "c1", ...rome }],
    repairs: ["arguments_at_end"],
  },
  "has the last arguments in the final response only": {
    reply: { chunks: [added(0, one), piece(0, "fc_c1", half), completed([one])] },
    calls: [{ id: "c1", ...rome }],
    repairs: ["arguments_at_end"],
  },
  "has the call in the final response only": {
    reply: { chunks: [completed([one, two])] },
    calls: [
      { id: "c1", ...rome },
      { id: "c2", ...noon },
    ],
    repairs: ["final_only", "final_only"],
  },
  "streams one call and has another in the final response only": {
    reply: { chunks: [added(0, two), piece(0, "fc_c2", noon.arguments), done(0, two), completed([one, two])] },
    calls: [
      { id: "c2", ...noon },
      { id: "c1", ...rome },
    ],
    repairs: ["final_only"],
  },
  "never says that the call is done": {
    reply: {
      chunks: [added(0, one), piece(0, "fc_c1", half), piece(0, "fc_c1", rest), { type: "response.completed" }],
    },
    calls: [{ id: "c1", ...rome }],
    repairs: [],
  },
  "never says that a call without arguments is done, but that its arguments are": {
    reply: {
      chunks: [
        added(0, item("c1", { name: "refresh", arguments: "" })),
        { type, output_index: 0, item_id: "fc_c1", arguments: "" },
        { type: "response.completed" },
      ],
    },
    calls: [{ id: "c1", ...nothing }],
    repairs: ["arguments_empty"],
  },
  "sends the arguments as an object": {
    reply: {
      chunks: [
        added(0, one),
        done(0, { ...one, arguments: { city: "Rome" } }),
        completed([{ ...one, arguments: { city: "Rome" } }]),
      ],
    },
    calls: [{ id: "c1", ...rome }],
    repairs: ["arguments_object", "arguments_at_end"],
  },
  "sends the same object in every delta": {
    reply: {
      chunks: [
        added(0, one),
        piece(0, "fc_c1", { city: "Rome" }),
        piece(0, "fc_c1", { city: "Rome" }),
        done(0, one),
        completed([one]),
      ],
    },
    calls: [{ id: "c1", ...rome }],
    repairs: ["arguments_object"],
  },
  "sends no arguments": {
    reply: {
      chunks: [
        added(0, item("c1", { name: "refresh", arguments: "" })),
        done(0, item("c1", { name: "refresh", arguments: "" })),
        completed([]),
      ],
    },
    calls: [{ id: "c1", ...nothing }],
    repairs: ["arguments_empty"],
  },
  "sends the name at the end": {
    reply: {
      chunks: [
        added(0, { ...one, name: "" }),
        piece(0, "fc_c1", half),
        piece(0, "fc_c1", rest),
        done(0, one),
        completed([one]),
      ],
    },
    calls: [{ id: "c1", ...rome }],
    repairs: ["late_name"],
  },
  "sends deltas of a call that was never added": {
    reply: { chunks: [piece(0, "fc_c1", half), piece(0, "fc_c1", rest), done(0, one), completed([one])] },
    calls: [{ id: "c1", ...rome }],
    repairs: ["late_name"],
  },
  "writes the type of an event only as its name": {
    reply: {
      bytes: [added(0, one), piece(0, "fc_c1", rome.arguments), done(0, one), completed([one])].map(
        ({ type: name, ...event }) => `event: ${String(name)}\ndata: ${JSON.stringify(event)}\n\n`,
      ),
      headers: { "content-type": "text/event-stream" },
    },
    calls: [{ id: "c1", ...rome }],
    repairs: [],
  },
};

/** Responses providers whose whole answers are odd. */
export const responsesWholes: Record<string, OddAnswer> = {
  "leaves out ids in a whole answer": {
    reply: {
      whole: {
        status: "completed",
        output: [
          { type: "function_call", ...rome },
          { type: "function_call", ...oslo },
        ],
      },
    },
    calls: [rome, oslo],
    repairs: ["missing_id", "missing_id"],
  },
  "sends the same call twice in a whole answer, and its id a third time": {
    reply: { whole: { status: "completed", output: [one, one, item("c1", oslo)] } },
    calls: [{ id: "c1", ...rome }, oslo],
    repairs: ["repeated_id", "duplicate"],
  },
  "sends an object in a whole answer": {
    reply: { whole: { status: "completed", output: [{ ...one, arguments: { city: "Rome" } }] } },
    calls: [{ id: "c1", ...rome }],
    repairs: ["arguments_object"],
  },
};
