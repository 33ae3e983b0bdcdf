import type { Item, Part, Turn } from "../../turn/index.ts";

const longestOutput = 600;
const longestList = 5;

export interface ToolOutput {
  name: string;
  text: string;
}

/** The tool outputs since the last user message; none if the conversation does not end with outputs. */
export function latestOutputs(input: readonly Item[]): ToolOutput[] {
  const since = input.slice(input.findLastIndex((item) => item.type === "message" && item.role === "user") + 1);
  const last = since.findLast((item) => item.type !== "reasoning" && item.type !== "opaque");
  if (last?.type !== "output") return [];
  const names = new Map(input.flatMap((item) => (item.type === "call" ? [[item.callId, item.name]] : [])));
  return since
    .filter((item) => item.type === "output")
    .map(({ callId, output }) => {
      const parts: Part[] = typeof output === "string" ? [{ type: "text", text: output }] : output;
      const images = parts.filter((part) => part.type === "image").length;
      const counted = images === 0 ? [] : [images === 1 ? "1 image" : `${images} images`];
      const text = [textsOf(parts).join("\n").trim(), ...counted].filter((part) => part !== "").join(" and ");
      return { name: names.get(callId) ?? "A tool", text };
    });
}

export function textsOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** One sentence with the output of each tool. */
export function sayOutputs(outputs: readonly ToolOutput[]): string {
  const said = outputs.map(({ name, text }) => `${name} answered${text === "" ? " nothing" : `: ${cut(text)}`}`);
  const sentence = said.join("; ");
  return /[.!?…。！？]$/u.test(sentence) ? sentence : `${sentence}.`;
}

function cut(text: string): string {
  return text.length <= longestOutput ? text : `${whole(text.slice(0, longestOutput))}…`;
}

/** Half of a surrogate pair is not valid text. */
export function whole(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}

const introduction = "I am Toolwire's demo model: I follow simple rules and know nothing of the world.";

/** The demo's answer without a call: what it is, and what to ask. */
export function introduce({ tools, choice }: Turn): string {
  const names = tools.flatMap((tool) => (tool.type === "hosted" ? [] : [tool.name]));
  if (names.length === 0) {
    return `${introduction} Declare a tool, for instance get_weather with a location, ask for the weather in Paris, and I will call it.`;
  }
  const more = names.length > longestList ? ` and ${names.length - longestList} more` : "";
  const list = `${names.slice(0, longestList).join(", ")}${more}`;
  return choice.mode === "none"
    ? `${introduction} I may not call a tool in this turn; with tool_choice auto I can use these: ${list}.`
    : `${introduction} Ask something that one of my tools can do: ${list}.`;
}
