import type { Item, OutputItem, Part } from "../../turn/index.ts";
import type { OwnTool } from "./catalog.ts";

const longestOutput = 600;
const longestList = 5;

export interface ToolOutput {
  name: string;
  text: string;
  images: number;
  files: number;
}

/** What the tools have answered since the user spoke last; none when the conversation does not end in outputs. */
export function latestOutputs(input: readonly Item[]): ToolOutput[] {
  const since = input.slice(input.findLastIndex((item) => item.type === "message" && item.role === "user") + 1);
  const last = since.findLast((item) => item.type !== "reasoning" && item.type !== "opaque");
  if (last?.type !== "output") return [];
  const names = new Map(input.flatMap((item) => (item.type === "call" ? [[item.callId, item.name]] : [])));
  return since
    .filter((item) => item.type === "output")
    .map((item) => ({ name: names.get(item.callId) ?? "A tool", ...contentOf(item) }));
}

function contentOf({ output }: OutputItem): Omit<ToolOutput, "name"> {
  if (typeof output === "string") return { text: output, images: 0, files: 0 };
  const texts = output.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const count = (type: Part["type"]): number => output.filter((part) => part.type === type).length;
  return { text: texts.join("\n"), images: count("image"), files: count("file") };
}

/** One sentence that holds what each tool said. */
export function sayOutputs(outputs: readonly ToolOutput[]): string {
  const said = outputs.map(({ name, text, images, files }) => {
    const parts = [cut(text.trim()), counted(images, "image"), counted(files, "file")].filter((part) => part !== "");
    return parts.length > 0 ? `${name} answered: ${parts.join(" and ")}` : `${name} answered nothing`;
  });
  const sentence = said.join("; ");
  return /[.!?…。！？]$/u.test(sentence) ? sentence : `${sentence}.`;
}

function cut(text: string): string {
  if (text.length <= longestOutput) return text;
  const head = text.slice(0, longestOutput);
  // Half of a surrogate pair is no text.
  return `${/[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head}…`;
}

function counted(count: number, thing: string): string {
  if (count === 0) return "";
  return count === 1 ? `1 ${thing}` : `${count} ${thing}s`;
}

const introduction = "I am Toolwire's demo model: I follow simple rules and know nothing of the world.";

/** What the demo says when it calls nothing: what it is, and what to ask. */
export function introduce(tools: readonly OwnTool[], mayCall: boolean): string {
  if (tools.length === 0) {
    return `${introduction} Declare a tool, for instance get_weather with a location, ask for the weather in Paris, and I will call it.`;
  }
  const names = tools.slice(0, longestList).map((tool) => tool.name);
  const more = tools.length > longestList ? ` and ${tools.length - longestList} more` : "";
  const list = `${names.join(", ")}${more}`;
  if (!mayCall)
    return `${introduction} I may not call a tool in this turn; with tool_choice auto I can use these: ${list}.`;
  return `${introduction} Ask something that one of my tools can do: ${list}.`;
}
