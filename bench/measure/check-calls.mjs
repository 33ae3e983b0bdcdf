import { argumentsOf } from "../servers/many-calls.mjs";
import { payloads } from "./check.mjs";

/** A wrong answer is an error, not a number: all calls must have come, in order, whole, each with an id of its own. */
export function checkCalls({ status, chunks }, api, count) {
  const text = Buffer.concat(chunks).toString();
  if (status !== 200) throw new Error(`status ${status}: ${text.slice(0, 300)}`);
  const calls = readers[api](payloads(text));
  const ids = new Set(calls.map(({ id }) => id));
  if (calls.length !== count) throw new Error(`${calls.length} calls came of ${count}: …${text.slice(-300)}`);
  if (ids.size !== count) throw new Error(`${count} calls have ${ids.size} ids`);
  const wrong = calls.findIndex((call, index) => call.arguments !== argumentsOf(index));
  if (wrong !== -1) throw new Error(`call ${wrong} has the arguments ${calls[wrong].arguments}`);
}

const readers = {
  chat(data) {
    if (data.at(-1) !== "[DONE]") throw new Error("the answer has no proper end");
    const calls = [];
    for (const payload of data.slice(0, -1)) {
      for (const entry of JSON.parse(payload).choices[0]?.delta.tool_calls ?? []) {
        calls[entry.index] ??= { id: entry.id, arguments: "" };
        calls[entry.index].arguments += entry.function.arguments ?? "";
      }
    }
    return calls;
  },
  responses(data) {
    const last = JSON.parse(data.findLast((payload) => payload !== "[DONE]"));
    if (last.type !== "response.completed") throw new Error(`the answer ends with ${last.type}`);
    const calls = last.response.output.filter(({ type }) => type === "function_call");
    return calls.map((call) => ({ id: call.call_id, arguments: call.arguments }));
  },
};
