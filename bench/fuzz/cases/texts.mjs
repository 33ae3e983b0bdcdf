import { cutBytes } from "./bytes.mjs";
import { chatCall, chatChunk, chatEnd, chatText, chatWholeText } from "./chat-answers.mjs";
import { bomb } from "./json.mjs";
import { eventStream, plainJson, print } from "./printed-answers.mjs";
import { responsesText, responsesWholeText } from "./responses-answers.mjs";
import { repeated } from "./sizes.mjs";

/** What a model may write, in every dialect: good calls, cut ones, and marks that loop, as a model does that has lost its way. */

const most = 256 * 1024;
const floods = [
  "\n",
  " ",
  "\t",
  "\r\n",
  "<",
  ">",
  "[",
  "{",
  '"',
  "\\",
  "`",
  "```",
  "'",
  "a",
  "é",
  "🙂",
  "</",
  "<|",
  "&lt;",
  "&",
  "\u0000",
  "*",
  "(",
  "=",
  ",",
  "- ",
];
const prose = [
  "Let me look. ",
  "I will call f now.\n",
  "Here is the code:\n```json\n",
  "```\n",
  "<b>Note</b> ",
  "`<tool_call>` is a tag. ",
  "f(a=1) ",
  "\n\n",
];

const shapes = {
  "a slice again and again"(random, form, size) {
    const tokens = random.pick(form.tokens);
    const from = random.between(0, tokens.length - 1);
    return repeated(tokens.slice(from, from + random.size(1, 8)).join(""), size);
  },
  "marks again and again"(random, form, size) {
    const marks = form.marks.length === 0 ? floods : form.marks;
    const piece = Array.from(
      { length: random.between(1, 3) },
      () => random.pick(marks) + random.pick(["", "", "\n", " ", "f", "{"]),
    ).join("");
    return repeated(piece, size);
  },
  nested(random, form, size) {
    const open =
      (random.pick(form.openers) ?? "<") + random.pick(["", "\n", "f", "f\n", '{"name": "f", "arguments": {"a": ']);
    const close = random.pick(form.closers) ?? ">";
    return repeated(open, size / 2) + (random.chance(0.5) ? repeated(close, size / 2) : "");
  },
  "calls again and again": (random, form, size) =>
    repeated(random.pick(form.written) + random.pick(["", "\n", "ok "]), size),
  "a call that is cut": (random, form, size) => {
    const call = random.pick(form.written);
    return repeated(random.pick(prose), random.size(1, size)) + call.slice(0, random.between(0, call.length));
  },
  "cut calls again and again"(random, form, size) {
    const call = random.pick(form.written);
    return repeated(call.slice(0, random.between(1, call.length)), size);
  },
  "a long argument": (random, form, size) => {
    const filling = repeated(random.pick([...floods, ...form.marks, random.pick(form.written)]), size);
    return random
      .pick(form.written)
      .replace("Lisbon", () => filling)
      .replace("a.txt", () => filling)
      .replace("x\ny", () => filling);
  },
  "a deep argument"(random, form, size) {
    const call = random.pick(form.written);
    const at = call.indexOf("1") === -1 ? random.between(0, call.length) : call.indexOf("1");
    return call.slice(0, at) + bomb(random, size).text + call.slice(at + 1);
  },
  "a flood behind a mark": (random, form, size) =>
    (random.pick(form.marks) ?? "<") + random.pick(["", "f", '{"name": "f"']) + repeated(random.pick(floods), size),
  "a flood inside a call"(random, form, size) {
    const call = random.pick(form.written);
    const at = random.between(0, call.length);
    return call.slice(0, at) + repeated(random.pick(floods), size) + call.slice(at);
  },
  flood: (random, _form, size) => repeated(random.pick(floods), size),
  soup(random, form, size, all) {
    const forms = random.chance(0.5) ? [form] : [form, random.pick(all), random.pick(all)];
    const pieces = [];
    for (let length = 0; length < size; length += pieces.at(-1).length + 1) {
      const from = random.pick(forms);
      const piece = random.weighted([
        [40, () => random.pick(random.pick(from.tokens))],
        [35, () => random.pick(from.marks.length === 0 ? floods : from.marks)],
        [10, () => random.pick(from.written)],
        [10, () => random.pick(prose)],
        [5, () => random.pick(floods)],
      ]);
      pieces.push(piece());
    }
    return pieces.join("");
  },
  alternating(random, form, size, all) {
    const other = random.pick(all);
    const marks = [form, other].map(({ marks }) => random.pick(marks) ?? "<");
    return repeated(marks.join(random.pick(["", "\n", "a", "{"])), size);
  },
  "changed calls"(random, form, size) {
    const call = [...random.pick(form.written)];
    for (let times = random.size(1, 6); times > 0; times--)
      call[random.between(0, call.length - 1)] = random.pick(floods);
    return repeated(`${call.join("")}\n`, random.chance(0.5) ? 1 : size);
  },
  "one call, good": (random, form) => random.pick(form.written),
};

const places = {
  text: (text) => ({ text }),
  "an open think tag": (text) => ({ text: `<think>${text}` }),
  "a think tag": (text) => ({ text: `<think>\n${text}\n</think>\nYes.` }),
  "the tag's own think": (text, random, form) => ({ text: `${random.pick(form.thoughts) ?? "<think>"}${text}` }),
  reasoning: (text) => ({ text, as: "reasoning_content" }),
  "behind a call": (text, random, form) => ({ text: `${random.pick(form.written)}\n${text}` }),
  arguments: (text) => ({ text, as: "arguments" }),
};

/** A text of a model, and the answer of a provider that has it. */
export function textAnswer(random, api, isStream, forms) {
  const form = random.pick(forms);
  // A model that loops is what has done most harm.
  const shape = random.chance(0.25) ? "a slice again and again" : random.pick(Object.keys(shapes));
  const place = random.weighted([
    [35, "text"],
    [12, "an open think tag"],
    [10, "a think tag"],
    [6, "the tag's own think"],
    [25, "reasoning"],
    [7, "behind a call"],
    [5, "arguments"],
  ]);
  const size = random.weighted([
    [3, random.size(10, 4_000)],
    [4, random.size(4_000, 64_000)],
    [3, random.size(64_000, most)],
  ]);
  const made = shapes[shape](random, form, size, forms).slice(0, most);
  const { text, as = "content" } = places[place](made, random, form);
  const pieces = cutText(random, text);
  const label = `${form.name}: ${shape}, in ${place}, ${text.length} characters in ${pieces.length} pieces`;
  const printed = isStream ? streamOf(random, api, as, pieces).map(print) : [JSON.stringify(wholeOf(api, as, text))];
  const bytes = random.chance(0.3)
    ? printed.map((event) => Buffer.from(event))
    : cutBytes(random, Buffer.from(printed.join("")));
  return { status: 200, headers: isStream ? eventStream : plainJson, pieces: bytes, pause: 0, ending: "end", label };
}

function streamOf(random, api, as, pieces) {
  if (as === "arguments") {
    return api === "chat" ? [...chatCall(0, "call_1", "f", pieces), ...chatEnd("tool_calls")] : responsesText(pieces);
  }
  if (api === "responses")
    return responsesText(pieces, { as, status: random.chance(0.85) ? "completed" : "incomplete" });
  if (as === "reasoning_content" && random.chance(0.2)) {
    return [
      ...pieces.flatMap((piece) => [chatChunk({ reasoning_content: piece }), chatChunk({ content: piece })]),
      ...chatEnd("stop"),
    ];
  }
  // Reasoning that nothing follows may have been meant as the answer.
  const after = as === "content" || random.chance(0.5) ? [] : ["Yes."];
  const ending = random.weighted([
    [80, "stop"],
    [10, "length"],
    [10, "tool_calls"],
  ]);
  return chatText(pieces, { as, ending, after });
}

function wholeOf(api, as, text) {
  const field = as === "arguments" ? "content" : as;
  return api === "chat" ? chatWholeText(text, field) : responsesWholeText(text, field);
}

function cutText(random, text) {
  const least = Math.ceil(text.length / 3_000);
  const length = Math.max(
    least,
    random.weighted([
      [3, text.length],
      [4, 4],
      [2, random.size(1, 200)],
      [1, 1],
    ]),
    1,
  );
  const varies = random.chance(0.4);
  const pieces = [];
  for (let at = 0; at < text.length; ) {
    const size = varies ? random.between(1, length * 2) : length;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces.length === 0 ? [""] : pieces;
}
