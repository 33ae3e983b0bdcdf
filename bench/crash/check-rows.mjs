import { createHash } from "node:crypto";
import { problemOf } from "./check-answers.mjs";

/** Looks at every row of a store: nothing is half there, and no turn is there twice. */
export function checkRows(tables, plan, finding) {
  const store = new StoredRows(tables);
  for (const conversation of tables.conversations) checkConversation(store, conversation, finding);
  for (const response of tables.responses) checkResponse(store, response, plan, finding);
  for (const conversation of plan.conversations) checkNamed(store, conversation, finding);
  checkContents(store, finding);
  for (const { id, conversation, position } of tables.items)
    if (!store.message(conversation, position)) finding(`the item ${id} has no message`);
  return tables.responses.length;
}

class StoredRows {
  #messages;
  #responses;

  constructor(tables) {
    this.tables = tables;
    this.conversations = new Map(tables.conversations.map((row) => [row.id, row]));
    this.#messages = new Map(tables.messages.map((row) => [`${row.conversation} ${row.position}`, row]));
    this.#responses = Map.groupBy?.(tables.responses, (row) => row.conversation) ?? grouped(tables.responses);
    this.positions = grouped(tables.messages);
    this.numbers = new Map();
  }

  message(conversation, position) {
    return this.#messages.get(`${conversation} ${position}`);
  }

  /** By their positions. */
  responsesOf(conversation) {
    return (this.#responses.get(conversation) ?? []).toSorted((a, b) => a.start_position - b.start_position);
  }
}

function grouped(rows) {
  const groups = new Map();
  for (const row of rows) {
    const group = groups.get(row.conversation);
    if (group) group.push(row);
    else groups.set(row.conversation, [row]);
  }
  return groups;
}

/** Its messages, and the turns on them, follow each other from its beginning to its end. */
function checkConversation(store, { id, parent, parent_position: from, length }, finding) {
  if (parent !== null && !(store.conversations.get(parent)?.length >= from))
    finding(`the conversation ${id} has lost its parent`);
  const positions = (store.positions.get(id) ?? []).map((row) => row.position).sort((a, b) => a - b);
  const isWhole = positions.length === length - from && positions.every((position, at) => position === from + at);
  if (!isWhole) finding(`the conversation ${id} has the messages ${positions.join(" ")} of ${from} to ${length - 1}`);
  let end = from;
  for (const response of store.responsesOf(id)) {
    if (response.start_position !== end)
      finding(`the response ${response.id} begins at ${response.start_position}, not at ${end}`);
    end = response.end_position;
  }
  if (end !== length) finding(`the conversation ${id} ends at ${length}, but its last turn at ${end}`);
}

function checkResponse(store, response, plan, finding) {
  const { id, conversation, start_position: start, output_position: middle, end_position: end } = response;
  const number = Number(JSON.parse(response.metadata).turn);
  const turn = plan.turns[number];
  if (!turn) return finding(`the response ${id} belongs to no turn`);
  if (store.numbers.has(number)) finding(`turn ${number} is stored twice: ${id} and ${store.numbers.get(number)}`);
  store.numbers.set(number, id);
  if (!store.conversations.has(conversation)) finding(`the response ${id} has lost its conversation`);
  const text = (from, to) => {
    const rows = Array.from({ length: to - from }, (_, at) => store.message(conversation, from + at));
    return rows.map((row) => row?.content ?? "").join("");
  };
  if (text(start, middle) !== turn.text) finding(`the input of turn ${number} is not stored as it was sent`);
  const problem = problemOf(turn, text(middle, end), response.status);
  if (problem) finding(`the stored turn ${number} ${problem}`);
}

/** The turns of a conversation by header: each once, in their order; the one under way when the gateway died may be the last. */
function checkNamed(store, { name, turns, open }, finding) {
  const row = store.tables.conversations.find((each) => each.name === name);
  const found = row ? store.responsesOf(row.id).map(({ metadata }) => Number(JSON.parse(metadata).turn)) : [];
  const wanted = turns.map(({ number }) => number);
  const isOpenStored = open && found.length === wanted.length + 1 && found.at(-1) === open.number;
  if (isOpenStored) wanted.push(open.number);
  if (found.join(" ") !== wanted.join(" "))
    finding(`the conversation ${name} has the turns ${found.join(" ")} in place of ${wanted.join(" ")}`);
}

function checkContents({ tables }, finding) {
  const pieces = new Map();
  for (const { digest, part, data } of tables.contents)
    pieces.set(digest, (pieces.get(digest) ?? new Map()).set(part, data));
  const texts = new Map();
  for (const [digest, parts] of pieces)
    texts.set(
      digest,
      [...parts]
        .sort(([a], [b]) => a - b)
        .map(([, data]) => data)
        .join(""),
    );
  for (const [digest, text] of texts)
    if (createHash("sha256").update(text).digest("hex") !== digest) finding(`the content ${digest} is not whole`);
  const uses = new Set(tables.message_contents.map((row) => `${row.conversation} ${row.position} ${row.digest}`));
  for (const { digest } of tables.message_contents) if (!texts.has(digest)) finding(`the content ${digest} is lost`);
  for (const { conversation, position, content_json } of tables.messages) {
    for (const [, digest] of content_json?.matchAll(/\{"digest":"([0-9a-f]+)"\}/g) ?? [])
      if (!uses.has(`${conversation} ${position} ${digest}`)) finding(`the use of the content ${digest} is lost`);
  }
}

/** Every row of a store, by table. */
export async function readTables(store) {
  const tables = { conversations: [], responses: [], messages: [], items: [], contents: [], message_contents: [] };
  for await (const { table, row } of store.export()) tables[table]?.push(row);
  return tables;
}
