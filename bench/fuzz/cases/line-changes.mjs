import { repeated, sizeUpTo } from "./sizes.mjs";

/** Changes of the printed lines. */
export const lineChanges = {
  "CR LF": (_random, text) => [text.replaceAll("\n", "\r\n")],
  CR: (_random, text) => [text.replaceAll("\n", "\r")],
  "no space": (_random, text) => [text.replaceAll("data: ", "data:")],
  "one line break": (_random, text) => [text.replaceAll("\n\n", "\n")],
  comments: (random, text) => [
    text.replaceAll("\n\n", `\n\n${repeated(": keep-alive\n\n", random.size(10, 100_000))}`).slice(0, 8_000_000),
  ],
  "data over lines": (_random, text) => [text.replaceAll(',"', ',\ndata: "')],
  "unknown fields"(random, text) {
    const field = random.pick([
      "x: y\n",
      "id: 1\n",
      "retry: 5\n",
      "event: e\n",
      ":\n",
      "data\n",
      "data:\n",
      `${"x".repeat(1_000)}\n`,
      "\u0000: a\n",
    ]);
    const size = sizeUpTo(random, 8_000_000);
    return [insertAtLine(random, text, repeated(field, size)), `${JSON.stringify(field.slice(0, 12))} × ${size}`];
  },
  "line breaks"(random, text) {
    const kind = random.pick(["\n", "\r", "\r\n", "\n\r", "\n\n\r"]);
    const size = sizeUpTo(random, 8_000_000);
    return [insertAtLine(random, text, repeated(kind, size)), `${JSON.stringify(kind)} × ${size}`];
  },
  "long line"(random, text) {
    const size = sizeUpTo(random, 31_000_000);
    const start = random.pick(["data: ", "", "event: ", 'data: {"a":"', "data: [", ":"]);
    const fill = random.pick(["a", "[", "{", " ", ">", '{"a":']);
    const isOver = random.chance(0.5);
    return [
      insertAtLine(random, text, `${start}${repeated(fill, size)}${isOver ? "\n\n" : ""}`),
      `line ${start}${fill} × ${size}`,
    ];
  },
  "no end": (_random, text) => [text.trimEnd()],
};

function insertAtLine(random, text, piece) {
  const breaks = [...text.matchAll(/\n\n?/g)].map((found) => found.index + found[0].length);
  const at = breaks.length === 0 ? 0 : random.pick(breaks);
  return text.slice(0, at) + piece + text.slice(at);
}
