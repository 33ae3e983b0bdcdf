import { secret } from "../run/settings.mjs";
import { chatCall, chatChunk, chatEnd } from "./chat-answers.mjs";
import { bomb } from "./json.mjs";
import { responsesStreams } from "./responses-answers.mjs";
import { repeated, sizeUpTo } from "./sizes.mjs";

/** Streams of events that a provider should not send, for what their fields mean: too many, too long, in the wrong place. */
export const meaningChanges = {
  "many calls"(random, api) {
    const count = random.size(10, 20_000);
    if (api === "chat") {
      const calls = Array.from({ length: count }, (_, index) => chatCall(index, `call_${index}`, "f", ['{"a":1}']));
      return [[...calls.flat(), ...chatEnd("tool_calls")], `${count} calls`];
    }
    const [created] = responsesStreams.call;
    const added = (index) => ({
      type: "response.output_item.added",
      output_index: index,
      item: { type: "function_call", id: `fc_${index}`, call_id: `c${index}`, name: "f", arguments: "" },
    });
    const done = (index) => ({
      type: "response.output_item.done",
      output_index: index,
      item: { ...added(index).item, arguments: "{}" },
    });
    const open = random.chance(0.5);
    const order = Array.from({ length: count }, (_, index) => index);
    const items = open
      ? [...order.map(added), ...order.map(done)]
      : order.flatMap((index) => [added(index), done(index)]);
    return [
      [created, ...items.map((data) => ({ event: data.type, data })), responsesStreams.call.at(-1)],
      `${count} calls${open ? ", open" : ""}`,
    ];
  },
  "many calls in one event"(random, api) {
    const count = random.size(10, 20_000);
    if (api !== "chat") return manyItems(random, count);
    const calls = Array.from({ length: count }, (_, index) => ({
      index,
      id: `c${index}`,
      type: "function",
      function: { name: "f", arguments: "{}" },
    }));
    return [[chatChunk({ tool_calls: calls }), ...chatEnd("tool_calls")], `${count} calls in one event`];
  },
  "calls and the same in text"(random, api) {
    const count = random.size(10, 2_000);
    if (api !== "chat") return manyItems(random, count);
    const text = Array.from(
      { length: count },
      (_, n) => `<tool_call>{"name": "f", "arguments": {"a": ${n}}}</tool_call>`,
    ).join("\n");
    const calls = Array.from({ length: count * 2 }, (_, index) => ({
      index,
      id: `c${index}`,
      type: "function",
      function: { name: "f", arguments: `{"a":"${index}"}` },
    }));
    return [
      [chatChunk({ content: text }), chatChunk({ tool_calls: calls }), ...chatEnd("tool_calls")],
      `${count} in text, ${count * 2} native`,
    ];
  },
  "odd indexes"(random, api) {
    const index = random.pick([-1, 1.5, 1e9, 2 ** 53, "0", null, 999_999, {}]);
    if (api === "chat")
      return [[...chatCall(index, "call_1", "f", ['{"a":1}']), ...chatEnd("tool_calls")], `index ${index}`];
    return [
      responsesStreams.call.map(({ event, data }) => ({ event, data: { ...data, output_index: index } })),
      `index ${index}`,
    ];
  },
  "huge delta"(random, api) {
    const text = repeated(
      random.pick(["a", "\n", " ", "<", ">", "[", "{", '"', "\\", "é", "<think>", "```", "*", "`", "\r", "\t\n", "0"]),
      sizeUpTo(random, 16_000_000),
    );
    const label = `delta of ${text.length} × ${JSON.stringify(text.slice(0, 8))}`;
    const where = random.pick(["text", "reasoning", "arguments", "id", "name", "refusal"]);
    return [deltasOf(api, where, text), `${label} in ${where}`];
  },
  "huge arguments"(random, api) {
    const { text, label } = bomb(random, sizeUpTo(random, 8_000_000));
    return [deltasOf(api, "arguments", `{"a":${text}}`), `arguments with ${label}`];
  },
  "many deltas"(random, api) {
    const count = random.size(100, 50_000);
    const piece = random.pick(["a", "\n", " ", "{", "[", ">", '"', "\\", "a\n"]);
    const where = random.pick(["text", "reasoning", "arguments"]);
    const events = deltasOf(api, where, piece);
    const at = events.findIndex(
      ({ data }) => JSON.stringify(data).includes(JSON.stringify(piece).slice(1, -1)) && isDelta(data),
    );
    return [
      events.toSpliced(at, 0, ...Array.from({ length: count }, () => events[at])),
      `${count} deltas ${JSON.stringify(piece)} in ${where}`,
    ];
  },
  logprobs(random, api) {
    const count = random.size(10, 50_000);
    const one = { token: "a", logprob: -0.1, bytes: [97], top_logprobs: [] };
    if (api === "chat") {
      const together = random.chance(0.5);
      const first = random.pick(["", "{", "<tool_call>", '{"name": "f", "arguments": {"a": "', "<think>"]);
      const chunk = (content, n = 0) =>
        chatChunk({ content: n === 0 ? `${first}a` : "a" }, null, { logprobs: { content, refusal: null } });
      const chunks = together
        ? [chunk(Array.from({ length: count }, () => one))]
        : Array.from({ length: count }, (_, n) => chunk([one], n));
      return [[...chunks, ...chatEnd("stop")], `${count} logprobs${together ? " in one event" : ""}`];
    }
    return [
      responsesStreams.text.map(({ event, data }) => ({
        event,
        data: "delta" in data ? { ...data, logprobs: Array.from({ length: count }, () => one) } : data,
      })),
      `${count} logprobs an event`,
    ];
  },
  "many items"(random, api) {
    return api === "chat" ? manyChoices(random) : manyItems(random, random.size(10, 50_000));
  },
  "long ids"(random, api) {
    const size = sizeUpTo(random, 4_000_000);
    const count = random.size(1, Math.max(1, Math.min(300, 8_000_000 / size)));
    const long = (n, prefix) => `${prefix}${n}_`.padEnd(size, "x");
    if (api === "chat") {
      const calls = Array.from({ length: count }, (_, n) =>
        chatCall(n, long(n, "call"), random.chance(0.5) ? "f" : long(n, "f"), ["{}"]),
      );
      return [[...calls.flat(), ...chatEnd("tool_calls")], `${count} ids of ${size}`];
    }
    const id = long(0, "fc");
    return [
      JSON.parse(
        JSON.stringify(responsesStreams.call)
          .replaceAll("fc_0", id)
          .replaceAll("call_0", random.chance(0.5) ? id : "call_0"),
      ),
      `ids of ${size}`,
    ];
  },
  key(random, api) {
    const message = `Incorrect key ${secret}; Authorization: Bearer ${secret}; ${encodeURIComponent(secret)} ${Buffer.from(secret).toString("base64")}`;
    const error = {
      message,
      type: "invalid_request_error",
      param: null,
      code: random.pick(["invalid_api_key", secret, 401, null]),
    };
    if (api === "chat")
      return [
        [random.chance(0.5) ? chatChunk({ content: "a" }) : { data: { error } }, { data: { error } }],
        "the key in an error",
      ];
    const failed = structuredClone(responsesStreams["failed first"]);
    failed.at(-1).data.response.error = error;
    return [failed, "the key in an error"];
  },
};

function manyItems(random, count) {
  const completed = structuredClone(responsesStreams["only the end"].at(-1));
  const items = completed.data.response.output;
  const isNameless = random.chance(0.4);
  const one = (n) => {
    const { id: _, call_id: __, ...rest } = items[n % items.length];
    return isNameless ? rest : { ...rest, id: `i_${n}`, ...(n % 2 === 1 && { call_id: `c_${n}` }) };
  };
  completed.data.response.output = Array.from({ length: count }, (_, n) => one(n));
  const type = "response.output_item.done";
  const streamed = Array.from({ length: random.chance(0.6) ? Math.min(count, 4_000) : 0 }, (_, n) => ({
    event: type,
    data: { type, ...(isNameless ? {} : { output_index: n }), item: one(isNameless ? 0 : n) },
  }));
  const label = `${streamed.length} items, ${count} in the end${isNameless ? ", without ids" : ""}`;
  return [[...responsesStreams.text.slice(0, 2), ...streamed, completed], label];
}

function manyChoices(random) {
  const count = random.size(10, 50_000);
  const choices = Array.from({ length: count }, (_, index) => ({
    index: random.chance(0.5) ? 0 : index,
    delta: { content: "a" },
    finish_reason: null,
  }));
  return [[{ data: { ...chatChunk({}).data, choices } }, ...chatEnd("stop")], `${count} choices in one event`];
}

function isDelta(data) {
  return typeof data === "object" && (data.choices?.[0]?.finish_reason === null || typeof data.delta === "string");
}

function deltasOf(api, where, text) {
  if (api === "chat") {
    const deltas = { text: { content: text }, reasoning: { reasoning_content: text }, refusal: { refusal: text } }[
      where
    ];
    if (deltas) return [chatChunk(deltas), ...chatEnd("stop")];
    const [id, name, args] = [
      where === "id" ? text : "call_1",
      where === "name" ? text : "f",
      where === "arguments" ? text : "{}",
    ];
    return [...chatCall(0, id, name, [args]), ...chatEnd("tool_calls")];
  }
  const events = structuredClone(
    where === "text" || where === "refusal"
      ? responsesStreams.text
      : where === "reasoning"
        ? responsesStreams["reasoning, text, calls"]
        : responsesStreams.call,
  );
  const target = events.find(({ data }) => typeof data.delta === "string");
  if (where === "id") target.data.item_id = text;
  else target.data.delta = text;
  return events;
}
