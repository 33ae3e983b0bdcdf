import type { OutputFormat, Turn } from "../../turn/index.ts";
import { aboutRecords, type Catalog, readCatalog } from "./catalog.ts";
import { readFormat } from "./format.ts";
import { promptOf, withoutPrompt } from "./prompt-target.ts";
import { readHistory } from "./read-history.ts";

/**
 * Reverses `promptTurn`, as far as the prompt contains the turn: what was left out does not come back. `undefined` if the prompt
 * explains neither tools nor records, so that ordinary text is not taken for them.
 */
export function readPrompted(turn: Turn): Turn | undefined {
  const prompt = readPrompt(promptOf(turn));
  if (!prompt) return undefined;
  const { instructions, input } = withoutPrompt(turn, prompt.own);
  return {
    ...turn,
    instructions,
    input: readHistory(input),
    tools: prompt.tools,
    choice: prompt.choice,
    settings: { ...turn.settings, parallelToolCalls: prompt.parallelToolCalls },
    format: prompt.format ?? turn.format,
  };
}

interface Prompt extends Catalog {
  /** The client's own text. */
  own: string;
  format: OutputFormat | undefined;
}

function readPrompt(text: string): Prompt | undefined {
  const answer = readFormat(text);
  const rest = answer?.before ?? text;
  const format = answer?.format;
  const found = readCatalog(rest);
  if (found) return { own: found.before, format, ...found.catalog };
  if (rest !== aboutRecords && !rest.endsWith(`\n\n${aboutRecords}`)) return undefined;
  const own = rest.slice(0, Math.max(0, rest.length - aboutRecords.length - 2));
  return { own, format, tools: [], choice: { mode: "auto" }, parallelToolCalls: undefined };
}
