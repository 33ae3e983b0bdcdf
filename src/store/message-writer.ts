import type { CallItem, Item, MessageItem, OpaqueItem, OutputItem, ReasoningItem, Steps } from "../turn/index.ts";
import type { ContentCollector } from "./contents.ts";
import { longestText, plainText, TextWriter } from "./message-parts.ts";
import {
  type ChatCall,
  idOf,
  type MessageColumns,
  type MessageRow,
  type StoredAssistantItem,
  type StoredAssistantMessage,
  type StoredCall,
  type StoredMessage,
  type StoredOutput,
} from "./messages.ts";
import { indexKey, isStorable } from "./storable.ts";
import { storedJson } from "./stored-json.ts";

export interface MessageOptions {
  /** Answers of a model: all that it did before the next output of a tool is one message, also two texts. */
  isAnswer: boolean;
  /** The client uses the legacy `function_call`. */
  isLegacy: boolean;
  contents: ContentCollector;
}

type AssistantItem = MessageItem | CallItem | ReasoningItem | OpaqueItem;

/** The rows of a list of items, in their order. */
export function* messageRows(items: readonly Item[], options: MessageOptions): Steps<MessageRow[]> {
  const rows: MessageRow[] = [];
  let round: AssistantItem[] = [];
  for (const item of items) {
    const isAssistant = item.type !== "output" && (item.type !== "message" || item.role === "assistant");
    if (round.length > 0 && !(isAssistant && (options.isAnswer || belongsTo(round, item)))) {
      rows.push(yield* roundRow(round, options));
      round = [];
    }
    if (isAssistant) round.push(item);
    else rows.push(yield* item.type === "output" ? outputRow(item, options) : messageRow(item, options));
    yield;
  }
  if (round.length > 0) rows.push(yield* roundRow(round, options));
  return rows;
}

/** Chat writes the messages of one assistant as reasoning, text and calls. What begins with text again is the next message. */
function belongsTo(round: readonly AssistantItem[], item: Item): boolean {
  if (item.type === "call" || item.type === "opaque" || (item.type === "message" && item.continues)) return true;
  const last = round.at(-1)?.type;
  return last === "reasoning" || last === "opaque";
}

function* messageRow({ type: _, role, content, ...rest }: MessageItem, options: MessageOptions): Steps<MessageRow> {
  const row = new RowWriter(options.contents);
  const stored: StoredMessage = { ...rest };
  const plain = plainText(content);
  const added = plain === undefined ? undefined : yield* row.texts.add(plain);
  if (added === undefined) stored.content = yield* row.texts.parts(content);
  else if (typeof added !== "number") stored.content = [{ type: "text", text: added }];
  return yield* row.finish({ role, json: stored }, rest.id);
}

function* outputRow(item: OutputItem, options: MessageOptions): Steps<MessageRow> {
  const { type: _, kind, callId, output, ...rest } = item;
  const row = new RowWriter(options.contents);
  const stored: StoredOutput = { ...rest };
  if (kind !== "function") stored.kind = kind;
  if (typeof output === "string") {
    const added = yield* row.texts.add(output);
    if (typeof added !== "number") stored.output = added;
  } else stored.output = yield* row.texts.parts(output);
  const isPlainId = isStorable(callId);
  if (!isPlainId) stored.callId = callId;
  return yield* row.finish({ role: "tool", toolCallId: isPlainId ? callId : null, json: stored }, rest.id);
}

function* roundRow(round: readonly AssistantItem[], options: MessageOptions): Steps<MessageRow> {
  const row = new RowWriter(options.contents);
  const stored: StoredAssistantItem[] = [];
  const calls = round.filter((item) => item.type === "call");
  const isLegacy = options.isLegacy && calls.length === 1 && calls[0]?.kind === "function";
  for (const item of round) {
    if (item.type === "message") stored.push(yield* assistantMessage(item, row.texts));
    else if (item.type === "call") stored.push(storedCall(item, isLegacy));
    else stored.push(item);
    yield;
  }
  const [only] = stored;
  const isPlain = stored.length === 1 && only?.type === "message" && Object.keys(only).length === 2 && "length" in only;
  return yield* row.finish(
    {
      role: "assistant",
      toolCalls: isLegacy ? null : yield* toolCalls(calls),
      functionCall: isLegacy ? yield* functionCall(calls) : null,
      json: isPlain ? {} : { items: stored },
    },
    ...round.map(idOf),
  );
}

function* assistantMessage(item: MessageItem, texts: TextWriter): Steps<StoredAssistantMessage> {
  const { role: _, content, ...rest } = item;
  const plain = plainText(content);
  if (plain === undefined) return { ...rest, content: yield* texts.parts(content) };
  const added = yield* texts.add(plain);
  return typeof added === "number" ? { ...rest, length: added } : { ...rest, content: [{ type: "text", text: added }] };
}

function storedCall(item: CallItem, isLegacy: boolean): StoredCall {
  const { kind, callId, name: _, arguments: __, ...stored } = item;
  return { ...stored, ...(kind === "search" && { kind }), ...(isLegacy && { callId }) };
}

function* toolCalls(calls: readonly CallItem[]): Steps<string | null> {
  if (calls.length === 0) return null;
  const written: string[] = [];
  for (const call of calls) {
    written.push(yield* storedJson(chatCall(call)));
    yield;
  }
  return `[${written.join(",")}]`;
}

function chatCall({ kind, callId: id, name, arguments: text }: CallItem): ChatCall {
  if (kind === "custom") return { id, type: "custom", custom: { name, input: text } };
  return { id, type: "function", function: { name, arguments: text } };
}

function* functionCall([call]: readonly CallItem[]): Steps<string | null> {
  return call ? yield* storedJson({ name: call.name, arguments: call.arguments }) : null;
}

/** One row while it is being written. */
class RowWriter {
  readonly texts: TextWriter;
  readonly #contents: ContentCollector;

  constructor(contents: ContentCollector) {
    this.#contents = contents;
    contents.beginMessage();
    this.texts = new TextWriter(contents);
  }

  *finish(
    columns: Pick<MessageColumns, "role"> & Partial<MessageColumns> & { json: object },
    ...ids: (string | undefined)[]
  ): Steps<MessageRow> {
    const { json, toolCalls = null, functionCall = null, toolCallId = null, role } = columns;
    const written = yield* storedJson(json);
    const row: MessageColumns = {
      role,
      content: this.texts.content,
      contentJson: yield* this.#bounded(written === "{}" ? null : written),
      toolCalls: yield* this.#bounded(toolCalls),
      functionCall: yield* this.#bounded(functionCall),
      toolCallId,
    };
    const { digests, size } = this.#contents.endMessage();
    const lengths = [row.content, row.contentJson, row.toolCalls, row.functionCall].map((text) => text?.length ?? 0);
    return {
      ...row,
      size: lengths.reduce((sum, length) => sum + length, size),
      items: ids.flatMap((id) => (id === undefined ? [] : indexKey(id))),
      contents: digests,
    };
  }

  /** A column with very long JSON is stored in pieces, like a very long text. */
  *#bounded(json: string | null): Steps<string | null> {
    if (json === null || json.length <= longestText) return json;
    const kept = yield* this.#contents.keep(json);
    return typeof kept === "string" ? kept : JSON.stringify(kept);
  }
}
