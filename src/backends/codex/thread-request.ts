import { permits, writeFormat } from "../../tools/index.ts";
import type { FunctionTool, JsonObject, OutputFormat, Turn } from "../../turn/index.ts";
import type { Abilities } from "./abilities.ts";
import type { Session } from "./app-server.ts";
import { writeConversation } from "./conversation.ts";
import { splitLast, writeTranscript } from "./older.ts";
import { describeTool } from "./schema.ts";
import { isStrict } from "./strict-schema.ts";
import { ToolNames } from "./tool-names.ts";

/** A turn as requests to the app-server: a thread, the conversation in it, and a turn in the thread. */
export interface ThreadRequest {
  names: ToolNames;
  thread: JsonObject;
  /** Injected into the thread before its turn. */
  items: JsonObject[];
  turn: JsonObject;
}

/** `ownModel`: use the home's default model. */
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
      // An injected conversation already holds the instructions; some models would get them twice.
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

/** Each name once, because Codex refuses duplicates. */
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

/** Codex enforces a schema strictly or not at all. */
function strictSchema(format: OutputFormat | undefined): JsonObject | undefined {
  if (format?.type !== "json_schema" || !format.schema) return undefined;
  return format.strict === true || (format.strict !== false && isStrict(format.schema)) ? format.schema : undefined;
}

/** Any other output format is requested in the instructions. */
function withFormat(turn: Turn, canCall: boolean): Turn {
  const words = writeFormat(turn.format, canCall);
  if (words === "") return turn;
  return { ...turn, instructions: turn.instructions ? `${turn.instructions}\n\n${words}` : words };
}
