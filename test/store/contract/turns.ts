import type { Store } from "../../../src/store/store.ts";
import type {
  CallItem,
  ClientApi,
  Context,
  ContextQuery,
  Item,
  KeptTurn,
  MessageItem,
  OutputItem,
  Part,
  Role,
} from "../../../src/turn/index.ts";

/** A store that is created for each test. */
export type StoreOf = () => Store;

export const ann = "a".repeat(64);
export const bob = "b".repeat(64);

export function message(role: Role, text: string, id?: string): MessageItem {
  return { type: "message", role, content: [{ type: "text", text }], ...(id !== undefined && { id }) };
}

/** A message of the user with one image or file. */
export function shows(part: Part, id?: string): MessageItem {
  return { type: "message", role: "user", content: [part], ...(id !== undefined && { id }) };
}

export function call(callId: string, text = "{}", id = `fc_${callId}`): CallItem {
  return { type: "call", kind: "function", callId, name: "get_weather", arguments: text, id };
}

export function output(callId: string, text: string, id = `fco_${callId}`): OutputItem {
  return { type: "output", kind: "function", callId, output: text, id };
}

/** A turn in which the user says `text`, and the model answers `text!`. */
export function turn(id: string, text: string, fields: Partial<KeptTurn> = {}): KeptTurn {
  return {
    owner: ann,
    id,
    api: "responses",
    model: "demo",
    status: "completed",
    createdAt: 1_000_000,
    input: [message("user", text, `msg_in_${id}`)],
    output: [message("assistant", `${text}!`, `msg_out_${id}`)],
    body: JSON.stringify({ id, object: "response" }),
    ...fields,
  };
}

export const limit = 10_000_000;

export function context(store: Store, query: Partial<ContextQuery>, owner = ann): Promise<Context> {
  return store.context(owner, { limit, ...query });
}

/** Everything that the model was given for an answer, read in small parts. */
export async function givenTo(
  store: Store,
  api: ClientApi,
  id: string,
  owner = ann,
  direction: "up" | "down" = "up",
): Promise<Item[] | undefined> {
  let items: Item[] = [];
  for (let from: number | undefined; ; ) {
    const window = await store.inputOf(owner, api, id, { direction, from, count: 5 });
    if (!window) return undefined;
    const some = window.sections.flatMap((section) => section.items);
    items = direction === "up" ? [...items, ...some] : [...some, ...items];
    from = direction === "up" ? window.end : window.start - 1;
    if (some.length === 0 || from < 0 || from >= window.length) return items;
  }
}

/** What was said up to an answer or in a conversation, in short. */
export async function said(store: Store, query: Partial<ContextQuery>, owner = ann): Promise<string[] | undefined> {
  return (await context(store, query, owner)).history?.map(words);
}

export function words(item: Item): string {
  switch (item.type) {
    case "message":
      return item.content.map((part) => (part.type === "text" ? part.text : `(${part.type})`)).join("");
    case "call":
      return `call ${item.callId}`;
    case "output":
      return `output ${item.callId}`;
    default:
      return item.type;
  }
}

/** Rows of all tables with the state of clients. */
export async function rowsOf(store: Store): Promise<Record<string, number>> {
  const {
    conversations = 0,
    responses = 0,
    messages = 0,
    items = 0,
    contents = 0,
    ...others
  } = (await store.stats()).rows;
  return { conversations, responses, messages, items, contents, uses: others.message_contents ?? 0 };
}

export const noRows = { conversations: 0, responses: 0, messages: 0, items: 0, contents: 0, uses: 0 };
