import type { Item, MessageItem, Part, TextPart, Turn } from "../../turn/index.ts";
import { Content, isPlain } from "./content.ts";
import { rearmText } from "./own-words.ts";
import { joinSections } from "./section.ts";

/** The fields of a turn that can hold a prompt. */
type PromptTarget = Pick<Turn, "instructions" | "input">;

/**
 * Many chat templates allow only one system message, at the start. So the prompt goes there, after the client's own instructions,
 * which stay in force.
 */
export function withPrompt({ instructions, input }: PromptTarget, prompt: string): PromptTarget {
  if (instructions) return { instructions: joinSections([instructions, prompt]), input };
  const [first, ...others] = input;
  if (prompt === "") return { instructions, input };
  if (!isSystem(first)) return { instructions: prompt, input };
  return { instructions, input: [continued(first, prompt), ...others] };
}

function continued(message: MessageItem, prompt: string): MessageItem {
  const end = message.content.findLastIndex((part) => part.type === "text") + 1;
  const content = new Content();
  content.say(message.content.slice(0, end));
  content.say([{ type: "text", text: prompt }]);
  return { ...message, content: [...content.finish(), ...message.content.slice(end)] };
}

/** The text that ends with the prompt. */
export function promptOf({ instructions, input }: PromptTarget): string {
  return instructions || (lastTextOf(input[0])?.text ?? "");
}

/** Removes the prompt and keeps the client's own text. Messages of the input stay escaped until they are read. */
export function withoutPrompt({ instructions, input }: PromptTarget, own: string): PromptTarget {
  if (instructions) return { instructions: rearmText(own) || undefined, input };
  const [first, ...others] = input;
  const last = lastTextOf(first);
  if (!isSystem(first) || !last) return { instructions, input };
  const text = own === "" && isPlain(last) ? [] : [{ ...last, text: own }];
  const content = first.content.flatMap((part): Part[] => (part === last ? text : [part]));
  return { instructions, input: [{ ...first, content }, ...others] };
}

function lastTextOf(item: Item | undefined): TextPart | undefined {
  return isSystem(item) ? item.content.findLast((part) => part.type === "text") : undefined;
}

function isSystem(item: Item | undefined): item is MessageItem {
  return item?.type === "message" && (item.role === "system" || item.role === "developer");
}
