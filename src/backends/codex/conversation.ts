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
 * The whole conversation as thread items. Codex drops an output without its call and invents an output for a call without one, so
 * an unpaired item is written as text.
 */
export function writeConversation({ instructions, input, inputParam = "input" }: Turn, names: ToolNames): JsonObject[] {
  const pairs = pairUp(input);
  const written = input.flatMap((item): JsonObject[] => {
    if (item.type === "reasoning") return writeReasoning(item);
    if (item.type === "opaque") return writeOpaque(item);
    const shown =
      item.type === "message" ? withRole(item, inputParam) : withPartner(item, pairs.get(item), names, inputParam);
    return [writeItem(shown) ?? []].flat();
  });
  const first = instructions ? writeItem(message("developer", [text(instructions)])) : undefined;
  return first ? [first, ...written] : written;
}

type CallOrOutput = CallItem | OutputItem;

/**
 * Pairs each output with its call. If an id occurs twice in the conversation, an output belongs to the last assistant turn with
 * such a call, and there to the first call without an output.
 */
function pairUp(input: readonly Item[]): ReadonlyMap<CallOrOutput, CallOrOutput> {
  const pairs = new Map<CallOrOutput, CallOrOutput>();
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

function withPartner(item: CallOrOutput, partner: CallOrOutput | undefined, names: ToolNames, param: string): Item {
  if (item.type === "call") {
    return partner ? { ...item, id: undefined, name: names.toCodex(item.name) } : unanswered(item);
  }
  if (!partner) return uncalled(item, param);
  const output = typeof item.output === "string" ? item.output : item.output.map((part) => asShown(part, param));
  return { ...item, kind: partner.kind, id: undefined, output };
}

/** Codex silently drops `system` messages. Of the fields that only the Responses API has, models need `phase`. */
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

/** Reasoning without encrypted content is useless to the service, because the service stores none. */
function writeReasoning({ id, summary, encrypted }: ReasoningItem): JsonObject[] {
  if (encrypted === undefined) return [];
  const texts = summary.map((text) => ({ type: "summary_text", text }));
  return [{ type: "reasoning", id, summary: texts, encrypted_content: encrypted }];
}

/** Items that the service made and can read again. Other types would belong to Codex itself. */
const readable = new Set(["compaction", "web_search_call"]);

function writeOpaque({ format, fields }: OpaqueItem): JsonObject[] {
  return format === "responses" && readable.has(String(fields.type)) ? [fields] : [];
}

function unanswered(call: CallItem): MessageItem {
  return message("user", [text(`${callRecord(call)}\n(The assistant made this call. No result of it was given.)`)]);
}

/** A tool output must never become an instruction, so it is sent as a user message. */
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
