import { answered, type Fault } from "./fault.ts";
import {
  callEvents,
  callItem,
  chatCalls,
  chatMessage,
  chatStream,
  chunk,
  ending,
  entry,
  oslo,
  response,
  responsesStream,
  rome,
} from "./wire.ts";

const item = callItem(rome);
const place = { output_index: 0, item_id: item.id ?? null };
const id = { index: 0, id: "call_a" };
const called = answered({ calls: [rome] });
const both = [callItem(rome), callItem(oslo)];

const finals: Fault[] = [
  {
    name: "has its calls in the final message only",
    stream: {
      chat: chatStream([
        {
          ...chunk({}),
          choices: [
            {
              index: 0,
              delta: {},
              message: {
                role: "assistant",
                content: null,
                tool_calls: [entry(id, rome), entry({ id: "call_b" }, oslo)],
              },
              finish_reason: "tool_calls",
            },
          ],
        },
      ]),
      responses: responsesStream([], both),
    },
    ends: answered({ calls: [rome, oslo] }),
  },
  {
    name: "has its call in the stream and again in the final message",
    stream: {
      chat: chatStream([
        chunk({ tool_calls: [entry(id, rome)] }),
        {
          ...chunk({}),
          choices: [{ index: 0, delta: {}, message: { tool_calls: [entry(id, rome)] }, finish_reason: "tool_calls" }],
        },
      ]),
      responses: responsesStream(callEvents(item, place), [item]),
    },
    ends: called,
  },
  {
    name: "makes the same call twice, with one id",
    stream: {
      chat: chatCalls([entry(id, rome), entry({ ...id, index: 1 }, rome)]),
      responses: responsesStream(
        [
          ...callEvents(item, place),
          ...callEvents({ ...item, id: "fc_again" }, { output_index: 1, item_id: "fc_again" }),
        ],
        [item, { ...item, id: "fc_again" }],
      ),
    },
    whole: {
      chat: chatMessage({ tool_calls: [entry(id, rome), entry({ ...id, index: 1 }, rome)] }),
      responses: response([item, { ...item, id: "fc_again" }]),
    },
    ends: called,
  },
  {
    name: "makes the same call twice and means it, for the ids differ",
    stream: {
      chat: chatCalls([entry(id, rome), entry({ index: 1, id: "call_b" }, rome)]),
      responses: responsesStream(
        [
          ...callEvents(item, place),
          ...callEvents({ ...item, id: "fc_b", call_id: "call_b" }, { output_index: 1, item_id: "fc_b" }),
        ],
        [item, { ...item, id: "fc_b", call_id: "call_b" }],
      ),
    },
    whole: {
      chat: chatMessage({ tool_calls: [entry(id, rome), entry({ index: 1, id: "call_b" }, rome)] }),
      responses: response([item, { ...item, id: "fc_b", call_id: "call_b" }]),
    },
    ends: answered({ calls: [rome, { ...rome, id: "call_b" }] }),
  },
];

const finish = (name: string, reason: string | null): Fault => ({
  name,
  stream: { chat: chatCalls([entry(id, rome)], reason) },
  whole: { chat: chatMessage({ tool_calls: [entry(id, rome)] }, reason) },
  ends: called,
});

const reasons: Fault[] = [
  finish("says stop though there is a call", "stop"),
  finish("says function_call though there are tool_calls", "function_call"),
  finish("has a word of its own for its calls", "tool_use"),
  finish("does not say why it stopped after a call", null),
  {
    name: "says tool_calls though there is no call",
    stream: { chat: chatStream([chunk({ content: "No call." }), chunk({}, "tool_calls")]) },
    whole: { chat: chatMessage({ content: "No call." }, "tool_calls") },
    ends: answered({ text: "No call." }),
  },
  {
    name: "says that it is completed, by the name of another event",
    stream: {
      responses: responsesStream(callEvents(item, place), [item]).map((frame) =>
        frame.replace(/^event: .*$/m, "event: message"),
      ),
    },
    ends: called,
  },
  {
    name: "has nothing in the output of its last event",
    stream: { responses: responsesStream(callEvents(item, place), []) },
    ends: called,
  },
  {
    name: "ends with an event that has no response in it",
    stream: {
      responses: [
        ...responsesStream(callEvents(item, place), []).slice(0, -2),
        `data: ${JSON.stringify({ type: ending([]).type })}\n\n`,
      ],
    },
    ends: called,
  },
];

export const endingFaults: Fault[] = [...finals, ...reasons];
