import { isDeepStrictEqual } from "node:util";
import { short } from "./provider.mjs";
import { line } from "./turns.mjs";

const atOnce = 8;

/** Asks the gateway for the answers of turns. Returns how many of them it has. */
export async function checkAnswers(turns, client, finding) {
  const left = turns.filter(({ id }) => id !== undefined);
  const counts = { kept: 0, lost: 0 };
  const worker = async () => {
    for (let turn = left.pop(); turn; turn = left.pop()) {
      if (await checkAnswer(turn, client, finding)) counts.kept++;
      else counts.lost++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return counts;
}

async function checkAnswer(turn, client, finding) {
  const path = `/v1/${turn.api === "chat" ? "chat/completions" : "responses"}/${turn.id}`;
  const found = await client.get(path);
  const isPromised = turn.outcome === "completed" && !turn.isRefused;
  if (!found) {
    if (isPromised) finding(`turn ${turn.number} (${turn.id}) was completed and is not stored`);
    return false;
  }
  const problem = turn.api === "chat" ? problemOfCompletion(turn, found) : problemOfResponse(turn, found);
  if (problem) finding(`the stored answer of turn ${turn.number} ${problem}`);
  await checkInput(turn, client, path, finding);
  return true;
}

function problemOfResponse(turn, found) {
  // A turn whose client was told that it is not stored may have been committed later.
  if (turn.outcome === "completed" && !turn.isRefused && !isDeepStrictEqual(found, turn.answer)) {
    const keys = Object.keys({ ...found, ...turn.answer }).filter(
      (key) => !isDeepStrictEqual(found[key], turn.answer[key]),
    );
    const shown = keys.map(
      (key) => `${key} ${short(JSON.stringify(found[key]))} ${short(JSON.stringify(turn.answer[key]))}`,
    );
    return `is not the one that its client got: ${shown.join(", ")}`;
  }
  const text = (found.output ?? [])
    .flatMap((item) => item.content ?? [])
    .map((part) => part.text)
    .join("");
  return problemOf(turn, text, found.status);
}

function problemOfCompletion(turn, { choices: [choice] }) {
  return problemOf(turn, choice.message.content ?? "", choice.finish_reason === "stop" ? "completed" : "incomplete");
}

/** `undefined` if the text is that of the turn; of one whose client has left, a part of it. */
export function problemOf(turn, text, status) {
  if (status === "completed") return text === turn.expected ? undefined : `has another text: ${short(text)}`;
  if (turn.outcome !== "left") return `is ${status}`;
  return turn.expected.startsWith(text) ? undefined : `has no part of its text: ${short(text)}`;
}

async function checkInput(turn, client, path, finding) {
  if (turn.conversation) return;
  const list = turn.api === "chat" ? "messages" : "input_items";
  const page = await client.get(`${path}/${list}?order=asc&limit=100`);
  const found = (page?.data ?? []).map((entry) => lineOf(entry.role, entry.content_parts ?? entry.content));
  const wanted = turn.history;
  const at = wanted.findIndex((text, index) => text !== found[index]);
  if (at !== -1 || found.length !== wanted.length)
    finding(
      `the input of turn ${turn.number} has ${found.length} items in place of ${wanted.length}; item ${at} is ${short(found[at])}`,
    );
}

function lineOf(role, content) {
  if (typeof content === "string") return line(role, content);
  const image = (part) => part.image_url?.url ?? part.image_url ?? "";
  return line(role, content.map((part) => part.text ?? "").join(""), content.map(image).join(""));
}
