import { type Turn, without } from "../../turn/index.ts";
import { aboutRecords, writeCatalog } from "./catalog.ts";
import { writeFormat } from "./format.ts";
import { canCall } from "./guidance.ts";
import { writeHistory } from "./history.ts";
import { disarmText } from "./own-words.ts";
import { withPrompt } from "./prompt-target.ts";
import { joinSections } from "./section.ts";

/** The turn as a backend without tools can be asked: the tools in the prompt, calls and outputs as records in messages. */
export function promptTurn(turn: Turn): Turn {
  const { instructions, input, settings, format } = turn;
  const mayCall = canCall(turn);
  const tools = writeTools(turn);
  const knowsRecords = tools !== "";
  const place = {
    instructions: instructions && knowsRecords ? disarmText(instructions) : instructions,
    input: writeHistory(input, knowsRecords),
  };
  return {
    ...turn,
    ...withPrompt(place, joinSections([tools, writeFormat(format, mayCall)])),
    tools: [],
    choice: { mode: "auto" },
    parameters: without(turn.parameters, aboutTools),
    // They tell of the form that the request had.
    headers: undefined,
    settings: { ...settings, parallelToolCalls: undefined },
    // A model that is held to JSON cannot write a sentinel.
    format: mayCall && format?.type !== "text" ? undefined : format,
  };
}

/** Parameters that a provider takes only beside tools of its own. */
const aboutTools = new Set(["max_tool_calls", "web_search_options"]);

function writeTools(turn: Turn): string {
  if (turn.tools.length > 0) return writeCatalog(turn);
  return turn.input.some(({ type }) => type === "call" || type === "output") ? aboutRecords : "";
}
