import type { JsonObject } from "../../../src/turn/index.ts";
import type { Api } from "../../support/api.ts";
import type { Reply } from "../../support/provider.ts";
import { added, completed, delta, done, entry, item, piece, rome } from "./forms.ts";

export const wholeCall = entry({ index: 0, id: "c1" }, rome);
const cut = entry({ index: 1, id: "c2" }, { name: "get_time", arguments: '{"zone":"U' });
const one = item("c1", rome);
const half = item("c2", { name: "get_time", arguments: '{"zone":"U' });
const incomplete = (response: JsonObject) => ({ type: "response.incomplete", response });

/** What a provider may say of an answer that stops in the middle of its second call. */
export const cutAnswers: [string, Api, Reply][] = [
  ["says length", "chat", { chunks: [delta({ tool_calls: [wholeCall, cut] }), delta({}, "length")] }],
  ["says MAX_TOKENS", "chat", { chunks: [delta({ tool_calls: [wholeCall, cut] }), delta({}, "MAX_TOKENS")] }],
  [
    "says length, then stop",
    "chat",
    { chunks: [delta({ tool_calls: [wholeCall, cut] }, "length"), delta({}, "stop")] },
  ],
  ["says tool_calls", "chat", { chunks: [delta({ tool_calls: [wholeCall, cut] }), delta({}, "tool_calls")] }],
  ["says stop", "chat", { chunks: [delta({ tool_calls: [wholeCall, cut] }), delta({}, "stop")] }],
  ["says nothing", "chat", { chunks: [delta({ tool_calls: [wholeCall, cut] })] }],
  [
    "does not name it",
    "chat",
    { chunks: [delta({ tool_calls: [wholeCall, { index: 1, function: { arguments: "{}" } }] }), delta({}, "stop")] },
  ],
  [
    "has only a placeholder",
    "chat",
    {
      chunks: [
        delta({ tool_calls: [wholeCall, entry({ index: 1, id: "c2" }, { name: "refresh", arguments: "{}" })] }),
        delta({}, "length"),
      ],
    },
  ],
  [
    "cuts it in a final message",
    "chat",
    { chunks: [{ choices: [{ index: 0, message: { tool_calls: [wholeCall, cut] }, finish_reason: "stop" }] }] },
  ],
  [
    "cuts it in a whole answer",
    "chat",
    { whole: { choices: [{ message: { tool_calls: [wholeCall, cut] }, finish_reason: "tool_calls" }] } },
  ],
  [
    "says incomplete",
    "responses",
    {
      chunks: [
        done(0, one),
        added(1, half),
        piece(1, "fc_c2", half.arguments),
        incomplete({ incomplete_details: { reason: "max_output_tokens" } }),
      ],
    },
  ],
  [
    "gives a reason of its own",
    "responses",
    {
      chunks: [
        done(0, one),
        done(1, { ...half, status: "incomplete" }),
        incomplete({ status: "incomplete", incomplete_details: { reason: "tired" } }),
      ],
    },
  ],
  [
    "says completed of a response that is not",
    "responses",
    { chunks: [done(0, one), added(1, half), completed([one, half], { status: "incomplete" })] },
  ],
  [
    "says incomplete of a response that is completed",
    "responses",
    { chunks: [done(0, one), incomplete({ status: "completed", output: [one, half] })] },
  ],
  [
    "says completed",
    "responses",
    { chunks: [done(0, one), added(1, half), piece(1, "fc_c2", half.arguments), completed([one, half])] },
  ],
  [
    "says that it is incomplete, though it looks whole",
    "responses",
    { chunks: [done(0, one), done(1, item("c2", rome, { status: "incomplete" })), { type: "response.completed" }] },
  ],
  [
    "says completed and no more",
    "responses",
    { chunks: [done(0, one), added(1, half), { type: "response.completed" }] },
  ],
  ["cuts it in a whole answer", "responses", { whole: { status: "completed", output: [one, half] } }],
];
