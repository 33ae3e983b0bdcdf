/**
 * What a model says in a scenario, and how it is sent: `kind` is text, call or hold; the answer has `pieces` deltas, of which
 * `perWrite` go out at once. Where `kind` is open or finished, the answer has `pieces` calls instead: see many-calls.mjs. The name of
 * the model carries all of it, so that the provider needs no other channel.
 */
export function modelName({ kind, pieces, perWrite }) {
  return [kind, pieces, perWrite].join("-");
}

export function readModelName(name) {
  const [kind, pieces, perWrite] = name.split("-");
  return { kind, pieces: Number(pieces), perWrite: Number(perWrite) };
}

export const toolName = "write_file";

/** The words of the answer, cut as models cut them: a few characters each, with quotes, line ends and other alphabets among them. */
export function contentOf({ kind, pieces }) {
  if (kind !== "call") return cut(repeat(prose, pieces * 5), pieces);
  const wanted = Math.max(pieces * 5, 40);
  const frame = JSON.stringify({ path: "notes/report.md", content: "" }).length;
  const content = repeat(prose, wanted - frame).replace(/["\n]/g, " ");
  return cut(JSON.stringify({ path: "notes/report.md", content }), pieces);
}

export const wholeText = "It is 21 °C in Paris, with a light wind from the west. Take a jacket for the evening.";

const prose =
  'The gateway reads each event, "translates" it, and sends it on.\nNothing waits for the end: what comes in goes out. Größe, naïveté and 東京 are words too; so is 🚀. ';

function repeat(text, length) {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

/** Into exactly so many pieces, none empty, none with half a character in it. */
function cut(text, pieces) {
  const characters = [...text];
  return Array.from({ length: pieces }, (_, at) => {
    const from = Math.floor((at * characters.length) / pieces);
    const to = Math.floor(((at + 1) * characters.length) / pieces);
    return characters.slice(from, to).join("");
  });
}
