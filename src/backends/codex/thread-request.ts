import { permits, writeFormat } from "../../tools/index.ts";
import type { FunctionTool, JsonObject, OutputFormat, Turn } from "../../turn/index.ts";
import type { Abilities } from "./abilities.ts";
import type { Session } from "./app-server.ts";
import { writeConversation } from "./conversation.ts";
import { splitLast, writeTranscript } from "./older.ts";
import { describeTool } from "./schema.ts";
import { isStrict } from "./strict-schema.ts";
import { ToolNames } from "./tool-names.ts";

/** A turn as it is put to the app-server: a thread, the conversation in it, and a turn in the thread. */
export interface ThreadRequest {
  names: ToolNames;
  thread: JsonObject;
  /** What the thread is given before its turn. */
  items: JsonObject[];
  turn: JsonObject;
}

/** `ownModel`: the home's own is asked, whichever it is. */
export function writeThreadRequest(turn: Turn, { abilities, cwd }: Session, ownModel: boolean): ThreadRequest {
  const { native, injects } = abilities;
  const names = new ToolNames(turn.tools, calledIn(turn));
  const tools = offered(turn);
  const schema = strictSchema(turn.format);
  const asked = schema ? turn : withFormat(turn, tools.length > 0);
  const { items, input } = writeInput(asked, names, abilities);
  return {
    names,
    items,
    thread: {
      model: ownModel ? undefined : turn.model,
      serviceTier: turn.settings.serviceTier,
      cwd,
      approvalPolicy: "never",
      sandbox: "read-only",
      ephemeral: true,
      config: turn.settings.verbosity === undefined ? undefined : { model_verbosity: turn.settings.verbosity },
      // The instructions stand in the conversation, where it can be given; some models would be told them twice otherwise.
      baseInstructions: injects ? "" : (asked.instructions ?? ""),
      environments: [],
      ...(native && {
        experimentalRawEvents: true,
        dynamicTools: tools.length > 0 ? tools.map((tool) => writeTool(tool, names)) : undefined,
      }),
    },
    turn: {
      input,
      effort: turn.settings.effort,
      summary: turn.settings.reasoningSummary,
      outputSchema: schema,
    },
  };
}

function writeInput(
  turn: Turn,
  names: ToolNames,
  { injects, startsEmpty }: Abilities,
): { items: JsonObject[]; input: JsonObject[] } {
  if (!injects) return { items: [], input: writeTranscript(turn) };
  const items = writeConversation(turn, names);
  if (startsEmpty) return { items, input: [] };
  const { before, input } = splitLast(items);
  return { items: before, input };
}

function calledIn({ input }: Turn): string[] {
  return input.flatMap((item) => (item.type === "call" ? [item.name] : []));
}

/** Each name once: Codex refuses a second one. */
function offered({ tools, choice }: Turn): FunctionTool[] {
  const permitted = tools.filter(isFunction).filter(({ name }) => permits(choice, { kind: "function", name }));
  return [...new Map(permitted.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();
}

function isFunction(tool: Turn["tools"][number]): tool is FunctionTool {
  return tool.type === "function";
}

function writeTool({ name, description, parameters }: FunctionTool, names: ToolNames): JsonObject {
  return { type: "function", name: names.toCodex(name), ...describeTool(description, parameters) };
}

/** Codex has answers follow a schema strictly, or not at all. */
function strictSchema(format: OutputFormat | undefined): JsonObject | undefined {
  if (format?.type !== "json_schema" || !format.schema) return undefined;
  return format.strict === true || (format.strict !== false && isStrict(format.schema)) ? format.schema : undefined;
}

/** Any other form of the answer is asked for in words. */
function withFormat(turn: Turn, canCall: boolean): Turn {
  const words = writeFormat(turn.format, canCall);
  if (words === "") return turn;
  return { ...turn, instructions: turn.instructions ? `${turn.instructions}\n\n${words}` : words };
}
