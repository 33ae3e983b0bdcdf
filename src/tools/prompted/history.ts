import type { Extensions, Item, MessageItem, OpaqueItem, OutputItem, Part, Steps } from "../../turn/index.ts";
import { splitOutput } from "./attachments.ts";
import { Content } from "./content.ts";
import { disarm, withWords } from "./own-words.ts";
import { callRecord, outputRecord } from "./record.ts";

/**
 * Writes calls as records into assistant messages, and outputs as records into user messages. If the prompt explains records,
 * text that looks like one is escaped in all messages.
 */
export function* writeHistory(input: readonly Item[], knowsRecords: boolean): Steps<Item[]> {
  const writer = new HistoryWriter(knowsRecords);
  for (const item of input) {
    writer.item(item);
    yield;
  }
  return writer.finish();
}

interface Recorded {
  line: string;
  attachments: Part[];
}

/** Consecutive entries of one role. */
interface Side {
  role: "user" | "assistant";
  entries: (MessageItem | Recorded)[];
}

class HistoryWriter {
  readonly #items: Item[] = [];
  readonly #knowsRecords: boolean;
  #side: Side | undefined;

  constructor(knowsRecords: boolean) {
    this.#knowsRecords = knowsRecords;
  }

  item(item: Item): void {
    switch (item.type) {
      case "message": {
        const content = this.#knowsRecords ? withWords(item.content, disarm) : item.content;
        // By the id a provider recognizes a message of its own, and may miss the reasoning that it wrote with it.
        this.#message({ ...item, content, id: undefined });
        return;
      }
      case "call":
        this.#of("assistant").entries.push({ line: callRecord(item), attachments: [] });
        return;
      case "output":
        this.#of("user").entries.push(recorded(item));
        return;
      case "opaque":
        if (isOfTools(item)) return;
        this.#end();
        this.#items.push(item);
        return;
      case "reasoning":
        // A prompted conversation has no form for reasoning.
        return;
    }
  }

  finish(): Item[] {
    this.#end();
    return this.#items;
  }

  #message(item: MessageItem): void {
    const { role } = item;
    if (role === "system" || role === "developer") {
      this.#end();
      this.#items.push(item);
      return;
    }
    // Two user messages in a row stay separate. Assistant messages wait: if a call follows, they are joined with it.
    const last = this.#side?.entries.at(-1);
    if (role === "user" && last && isMessage(last)) this.#end();
    this.#of(role).entries.push(item);
  }

  #of(role: Side["role"]): Side {
    if (this.#side?.role !== role) this.#end();
    this.#side ??= { role, entries: [] };
    return this.#side;
  }

  #end(): void {
    const side = this.#side;
    this.#side = undefined;
    if (!side) return;
    const messages = side.entries.filter(isMessage);
    if (messages.length === side.entries.length) for (const message of messages) this.#items.push(message);
    else this.#items.push(joined(side, messages));
  }
}

/** Items about tools that this backend does not have: `web_search_call`, `mcp_list_tools`, `additional_tools` … */
function isOfTools({ format, fields: { type } }: OpaqueItem): boolean {
  return format === "responses" && typeof type === "string" && /call|tool|^mcp_/.test(type);
}

function isMessage(entry: MessageItem | Recorded): entry is MessageItem {
  return "role" in entry;
}

function recorded({ callId, output }: OutputItem): Recorded {
  const { text, attachments } = splitOutput(output);
  return { line: outputRecord(callId, text), attachments };
}

/** An assistant's text is moved before its calls: what follows a call is its output. */
function joined({ role, entries }: Side, messages: readonly MessageItem[]): MessageItem {
  const ordered = role === "user" ? entries : [...messages, ...entries.filter((entry) => !isMessage(entry))];
  const content = new Content();
  for (const entry of ordered) {
    if (isMessage(entry)) content.say(entry.content);
    else content.record(entry.line, entry.attachments);
  }
  return { type: "message", role, content: content.finish(), extensions: extensionsOf(messages) };
}

function extensionsOf(messages: readonly MessageItem[]): Extensions | undefined {
  const [first, ...others] = messages.flatMap(({ extensions }) => extensions ?? []);
  if (!first || others.length === 0) return first;
  const fields = { ...first.fields };
  for (const { format, fields: further } of others) if (format === first.format) Object.assign(fields, further);
  return { format: first.format, fields };
}
