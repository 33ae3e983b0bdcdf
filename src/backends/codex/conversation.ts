import { callRecord, outputRecord } from "../../tools/index.ts";
import type {
  CallItem,
  Item,
  JsonObject,
  MessageItem,
  OpaqueItem,
  OutputItem,
  Part,
  ReasoningItem,
  Role,
  Turn,
} from "../../turn/index.ts";
import { writeItem } from "../../wire/responses/items.ts";
import { asShown } from "./content.ts";
import type { ToolNames } from "./tool-names.ts";

/**
 * The whole conversation as items of a thread. Codex drops an output whose call is not there, and makes up one for a call that has
 * none; so what has no counterpart is told in words.
 */
export function writeConversation({ instructions, input, inputParam = "input" }: Turn, names: ToolNames): JsonObject[] {
  const pairs = pairUp(input);
  const written = input.flatMap((item): JsonObject[] => {
    if (item.type === "reasoning") return writeReasoning(item);
    if (item.type === "opaque") return writeOpaque(item);
    const told =
      item.type === "message" ? withRole(item, inputParam) : withPartner(item, pairs.get(item), names, inputParam);
    return [writeItem(told) ?? []].flat();
  });
  const first = instructions ? writeItem(message("developer", [text(instructions)])) : undefined;
  return first ? [first, ...written] : written;
}

type Half = CallItem | OutputItem;

/**
 * Which output belongs to which call. An id may stand twice in a conversation: then an output belongs to the last turn of the
 * assistant that has such a call, and there to the first that waits.
 */
function pairUp(input: readonly Item[]): ReadonlyMap<Half, Half> {
  const pairs = new Map<Half, Half>();
  const waiting = new Map<string, { call: CallItem; turn: number }[]>();
  let turn = 0;
  for (const item of input) {
    if (item.type === "message" && item.role === "user") turn++;
    if (item.type === "call") waiting.set(item.callId, [...(waiting.get(item.callId) ?? []), { call: item, turn }]);
    if (item.type !== "output") continue;
    const calls = waiting.get(item.callId) ?? [];
    const last = calls.at(-1)?.turn;
    const at = calls.findIndex((waits) => waits.turn === last);
    const [found] = at === -1 ? [] : calls.splice(at, 1);
    if (!found) continue;
    pairs.set(found.call, item);
    pairs.set(item, found.call);
  }
  return pairs;
}

function withPartner(item: Half, partner: Half | undefined, names: ToolNames, param: string): Item {
  if (item.type === "call") {
    return partner ? { ...item, id: undefined, name: names.toCodex(item.name) } : unanswered(item);
  }
  if (!partner) return uncalled(item, param);
  const output = typeof item.output === "string" ? item.output : item.output.map((part) => asShown(part, param));
  return { ...item, kind: partner.kind, id: undefined, output };
}

/** `system` is dropped by Codex without a word. Of what only the Responses API has a word for, `phase` is one that models miss. */
function withRole({ role, content, extensions }: MessageItem, param: string): MessageItem {
  const { phase } = extensions?.format === "responses" ? extensions.fields : {};
  return {
    ...message(
      role === "system" ? "developer" : role,
      content.map((part) => asShown(part, param)),
    ),
    ...(typeof phase === "string" && { extensions: { format: "responses", fields: { phase } } }),
  };
}

/** What is not sealed can be read by nobody, for the service keeps none. */
function writeReasoning({ id, summary, encrypted }: ReasoningItem): JsonObject[] {
  if (encrypted === undefined) return [];
  const texts = summary.map((text) => ({ type: "summary_text", text }));
  return [{ type: "reasoning", id, summary: texts, encrypted_content: encrypted }];
}

/** What the service has made and can read again. Anything else would be Codex's own affair. */
const readable = new Set(["compaction", "web_search_call"]);

function writeOpaque({ format, fields }: OpaqueItem): JsonObject[] {
  return format === "responses" && readable.has(String(fields.type)) ? [fields] : [];
}

function unanswered(call: CallItem): MessageItem {
  return message("user", [text(`${callRecord(call)}\n(The assistant made this call. No result of it was given.)`)]);
}

/** A tool's words are nobody's instructions, wherever they stand. */
function uncalled({ callId, output }: OutputItem, param: string): MessageItem {
  if (typeof output === "string") return message("user", [text(outputRecord(callId, output))]);
  const texts = output.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const others = output.filter((part) => part.type !== "text").map((part) => asShown(part, param));
  return message("user", [text(outputRecord(callId, texts.join("\n"))), ...others]);
}

function message(role: Role, content: Part[]): MessageItem {
  return { type: "message", role, content };
}

function text(words: string): Part {
  return { type: "text", text: words };
}
