import { type FoundCall, type ReadingOptions, type ReadMessage, readMessage } from "../../dialects/index.ts";
import type { Part, Parts } from "./parts.ts";

/** A part, and what its text turned out to be. */
export interface ReadPart extends Pick<ReadMessage, "spans" | "repairs" | "rejected"> {
  /** `dialect` is empty for a call that the backend gave as such. */
  calls: FoundCall[];
  /** All of it, as it came. */
  text: string;
}

/** Reads each part as the engine does; without options, text is left as it is. */
export function readParts({ parts, ending }: Parts, options: ReadingOptions | undefined): ReadPart[] {
  const hasAnswer = parts.some((part) => part.kind === "call" || (part.kind !== "reasoning" && textOf(part).trim()));
  return parts.map((part, index) => {
    const text = textOf(part);
    // As in the engine, reasoning that is an item of its own is left as it is.
    const isRead = part.kind === "message" || (part.kind === "reasoning" && !part.isItem && !hasAnswer);
    if (!options || !isRead) return asItIs(part, text);
    const isLast = index === parts.length - 1;
    const beginsInReasoning = part.kind === "reasoning";
    return { ...readMessage(part.pieces, { ...options, beginsInReasoning }, isLast ? ending : "stop"), text };
  });
}

function textOf(part: Part): string {
  return part.kind === "call" ? `${part.name} ${part.arguments}` : part.pieces.join("");
}

function asItIs(part: Part, text: string): ReadPart {
  const nothing = { text, calls: [], repairs: [], rejected: [] };
  if (part.kind !== "call") {
    return { ...nothing, spans: [{ kind: part.kind === "reasoning" ? "reasoning" : "text", text }] };
  }
  const { name, arguments: given, isWhole } = part;
  return { ...nothing, spans: [{ kind: "call", text }], calls: [{ name, arguments: given, dialect: "", isWhole }] };
}
