import { finished, type Steps, type Turn, without } from "../../turn/index.ts";
import { aboutRecords, writeCatalog } from "./catalog.ts";
import { writeFormat } from "./format.ts";
import { canCall } from "./guidance.ts";
import { writeHistory } from "./history.ts";
import { disarmText } from "./own-words.ts";
import { withPrompt } from "./prompt-target.ts";
import { joinSections } from "./section.ts";

/** Converts a turn for a backend without tools: the tools go into the prompt, calls and outputs become records in messages. */
export function promptTurn(turn: Turn): Turn {
  return finished(promptSteps(turn));
}

export function* promptSteps(turn: Turn): Steps<Turn> {
  const { instructions, input, settings, format } = turn;
  const mayCall = canCall(turn);
  const tools = yield* writeTools(turn);
  const knowsRecords = tools !== "";
  const target = {
    instructions: instructions && knowsRecords ? disarmText(instructions) : instructions,
    input: yield* writeHistory(input, knowsRecords),
  };
  return {
    ...turn,
    ...withPrompt(target, joinSections([tools, writeFormat(format, mayCall)])),
    tools: [],
    choice: { mode: "auto" },
    parameters: without(turn.parameters, aboutTools),
    // They describe the request's original form.
    headers: undefined,
    settings: { ...settings, parallelToolCalls: undefined },
    // A model that is restricted to JSON cannot write a sentinel.
    format: mayCall && format?.type !== "text" ? undefined : format,
  };
}

/** Parameters that a provider accepts only with native tools. */
const aboutTools = new Set(["max_tool_calls", "web_search_options"]);

function* writeTools(turn: Turn): Steps<string> {
  if (turn.tools.length > 0) return yield* writeCatalog(turn);
  return turn.input.some(({ type }) => type === "call" || type === "output") ? aboutRecords : "";
}
