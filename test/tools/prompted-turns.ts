import { promptTurn } from "../../src/tools/prompted/index.ts";
import type { CallItem, FunctionTool, Item, MessageItem, OutputItem, Part, Role, Turn } from "../../src/turn/index.ts";

export function turnOf(question: string | Item[], more: Partial<Turn> = {}): Turn {
  return {
    api: "chat",
    model: "any",
    stream: false,
    input: typeof question === "string" ? [says("user", question)] : question,
    tools: [],
    choice: { mode: "auto" },
    settings: {},
    parameters: {},
    ...more,
  };
}

export function says(role: Role, ...content: (string | Part)[]): MessageItem {
  return {
    type: "message",
    role,
    content: content.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
  };
}

export function calls(callId: string, name = "get_weather", text = "{}", id?: string): CallItem {
  return { type: "call", kind: "function", callId, name, arguments: text, id };
}

export function gives(callId: string, output: OutputItem["output"]): OutputItem {
  return { type: "output", kind: "function", callId, output };
}

export const image: Part = { type: "image", url: "https://example.com/map.png" };

export const getWeather: FunctionTool = {
  type: "function",
  name: "get_weather",
  description: "The weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
export const getTime: FunctionTool = { type: "function", name: "get_time" };

/** What the model is told before the conversation. */
export function promptOf(turn: Turn): string {
  return promptTurn(turn).instructions ?? "";
}

/** Each message as its role and its text, with what is no text in angle brackets. */
export function transcript(input: readonly Item[]): string[] {
  return input.map((item) => {
    if (item.type !== "message") return item.type;
    const words = item.content.map((part) => (part.type === "text" ? part.text : `<${part.type}>`));
    return `${item.role}: ${words.join("")}`;
  });
}

/** The conversation as a prompted model sees it. */
export function told(...input: Item[]): string[] {
  return transcript(promptTurn(turnOf(input)).input);
}
