import {
  givenBack,
  type Item,
  type JsonObject,
  type MessageItem,
  type Part,
  type ReasoningItem,
} from "../../turn/index.ts";
import { callItem } from "./call-item.ts";

type ItemStatus = "in_progress" | "completed" | "incomplete";

/** The `output` of a response: the part of an answer that the client sees. */
export function writeOutput(items: readonly Item[]): JsonObject[] {
  const output: JsonObject[] = [];
  for (const item of items) {
    const written = writeOutputItem(item);
    if (written) output.push(written);
  }
  return output;
}

/** A finished item of the answer; `undefined` if this API has no item for it. */
function writeOutputItem(item: Item): JsonObject | undefined {
  switch (item.type) {
    case "message":
      // A message without an id holds only fields of another API.
      return item.id === undefined ? undefined : messageItem(item, item.isIncomplete ? "incomplete" : "completed");
    case "reasoning":
      return reasoningItem(item, "completed");
    case "call":
      return item.owner === "gateway" ? undefined : callItem(item, "completed");
    case "opaque":
      return item.format === "responses" ? item.fields : undefined;
    case "output":
      return undefined;
  }
}

export function messageItem(item: MessageItem, status: ItemStatus): JsonObject {
  const extra = givenBack(item.extensions, "responses");
  return {
    ...extra,
    type: "message",
    id: item.id,
    status,
    role: "assistant",
    content: item.content.map(contentPart),
    // Codex shows that the model is still working only if its text is marked as commentary.
    ...(item.isCommentary && { phase: extra?.phase ?? "commentary" }),
  };
}

export function contentPart(part: Part): JsonObject {
  if (part.type === "refusal") return { type: "refusal", refusal: part.refusal };
  if (part.type !== "text") throw new Error(`a model does not answer with a part of type ${part.type}`);
  const { text, annotations = [], logprobs = [] } = part;
  return { type: "output_text", text, annotations, logprobs };
}

export function reasoningItem({ id, summary, encrypted }: ReasoningItem, status: ItemStatus): JsonObject {
  return {
    type: "reasoning",
    id,
    summary: summary.map((text) => ({ type: "summary_text", text })),
    // Omitted instead of null, because Open Responses accepts only a string.
    encrypted_content: encrypted,
    status,
  };
}
