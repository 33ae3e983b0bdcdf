import { type FoundCall, type ReadingOptions, type ReadMessage, readMessage } from "../../dialects/index.ts";
import type { Part, Parts } from "./parts.ts";

/** A part with the result of reading its text. */
export interface ReadPart extends Pick<ReadMessage, "spans" | "repairs" | "rejected"> {
  /** `dialect` is empty for a native call. */
  calls: FoundCall[];
  /** The complete text of the part. */
  text: string;
}

/** Reads each part as the engine does; without options no calls are read from text. */
export function readParts({ parts, ending }: Parts, options: ReadingOptions | undefined): ReadPart[] {
  const hasAnswer = parts.some((part) => part.kind === "call" || (part.kind !== "reasoning" && textOf(part).trim()));
  return parts.map((part, index) => {
    const text = textOf(part);
    // As in the engine, calls are not read from reasoning that is a separate item.
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
