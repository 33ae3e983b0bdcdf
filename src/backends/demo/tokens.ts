import type { Item, JsonValue, Part, Turn } from "../../turn/index.ts";

/** The usual rule of thumb; the demo has no tokenizer. */
export function tokensIn(characters: number): number {
  return Math.ceil(characters / 4);
}

export function inputTokens(turn: Turn): number {
  let characters = turn.instructions?.length ?? 0;
  for (const item of turn.input) characters += charactersOf(item);
  for (const tool of turn.tools) {
    if (tool.type === "hosted") characters += jsonLength(tool.definition);
    else {
      characters += tool.name.length + (tool.description?.length ?? 0);
      characters += jsonLength((tool.type === "function" ? tool.parameters : tool.format) ?? null);
    }
  }
  return tokensIn(characters);
}

function charactersOf(item: Item): number {
  switch (item.type) {
    case "message":
      return partsLength(item.content);
    case "call":
      return item.name.length + item.arguments.length;
    case "output":
      return typeof item.output === "string" ? item.output.length : partsLength(item.output);
    case "reasoning":
      return item.summary.join("").length;
    case "opaque":
      return jsonLength(item.fields);
  }
}

const charactersOfPicture = 1_000;

function partsLength(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => {
    if (part.type === "text") return sum + part.text.length;
    if (part.type === "refusal") return sum + part.refusal.length;
    return sum + charactersOfPicture;
  }, 0);
}

/** About the length of the JSON text. With a list of its own, because a client's schema may be deeper than the stack. */
function jsonLength(value: JsonValue): number {
  let length = 0;
  const waiting: (JsonValue | undefined)[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") length += next.length + 2;
    else if (typeof next !== "object" || next === null) length += 4;
    else if (Array.isArray(next)) {
      length += next.length;
      for (const inner of next) waiting.push(inner);
    } else {
      for (const key of Object.keys(next)) {
        length += key.length + 4;
        waiting.push(next[key]);
      }
    }
  }
  return length;
}
