import { callRecord, outputRecord } from "../../tools/index.ts";
import type { Api, CallItem, Item, JsonObject, MessageItem, OutputItem, Part, Turn } from "../../turn/index.ts";
import { writeItem } from "../../wire/responses/items.ts";
import { asShown } from "./content.ts";
import type { ToolNames } from "./tool-names.ts";

/**
 * The whole conversation as items of a thread. Codex drops an output whose call is not there, and makes up one for a call that has
 * none; so what has no counterpart is told in words.
 */
export function writeConversation({ instructions, input, api }: Turn, names: ToolNames): JsonObject[] {
  const calls = idsOf(input, "call");
  const outputs = idsOf(input, "output");
  const known = (item: Item): Item | undefined => {
    if (item.type === "call") return outputs.has(item.callId) ? withAlias(item, names) : unanswered(item);
    if (item.type === "output") return calls.has(item.callId) ? withContent(item, api) : uncalled(item, api);
    if (item.type === "message") return withRole(item, api);
    // Reasoning that is not sealed can be read by nobody, for the service keeps none.
    return item.type === "reasoning" && item.encrypted !== undefined ? item : undefined;
  };
  const spoken = instructions ? [developer(instructions), ...input.map(known)] : input.map(known);
  return spoken.flatMap((item) => {
    const written = item && writeItem(item);
    return written ? [written] : [];
  });
}

function withAlias(call: CallItem, names: ToolNames): CallItem {
  return { ...call, id: undefined, name: names.toCodex(call.name) };
}

function idsOf(input: readonly Item[], type: "call" | "output"): ReadonlySet<string> {
  return new Set(input.flatMap((item) => (item.type === type ? [item.callId] : [])));
}

/** `system` is dropped by Codex without a word. */
function withRole(message: MessageItem, api: Api): MessageItem {
  const role = message.role === "system" ? "developer" : message.role;
  return { type: "message", role, content: message.content.map((part) => asShown(part, api)) };
}

function withContent(item: OutputItem, api: Api): OutputItem {
  const output = typeof item.output === "string" ? item.output : item.output.map((part) => asShown(part, api));
  return { ...item, id: undefined, output };
}

function unanswered(call: CallItem): MessageItem {
  return developer(`${callRecord(call)}\nThe assistant made this call. No result of it was given.`);
}

function uncalled({ callId, output }: OutputItem, api: Api): MessageItem {
  if (typeof output === "string") return developer(outputRecord(callId, output));
  const texts = output.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const others = output.filter((part) => part.type !== "text").map((part) => asShown(part, api));
  return { type: "message", role: "user", content: [text(outputRecord(callId, texts.join("\n"))), ...others] };
}

function developer(words: string): MessageItem {
  return { type: "message", role: "developer", content: [text(words)] };
}

function text(words: string): Part {
  return { type: "text", text: words };
}
