import type { Way } from "../engine/index.ts";
import { checkDemand, sentinelDialect, toolLabel } from "../tools/index.ts";
import { type Item, type Tool, type Turn, TurnError } from "../turn/index.ts";
import type { Route } from "./models.ts";

/** The turn as the route's backend can be asked: its model's name, and the tools that it can carry. */
export function turnFor(turn: Turn, { backend, model, settings }: Route): Turn {
  // Whatever the backend has itself: what is written into a prompt are functions.
  const carries = (tool: Tool) => (isPrompted(settings) ? tool.type === "function" : backend.carries(tool, turn));
  return { ...turn, model, tools: turn.tools.filter(carries) };
}

export function isPrompted({ tools }: Route["settings"]): boolean {
  return tools === "prompted";
}

/** Throws where the request demands a call that the route's backend cannot be asked for. */
export function checkRoute({ choice, tools }: Turn, route: Route): void {
  if (!knowsOtherTools(route)) checkDemand(choice, tools);
  if (choice.mode === "hosted" && isPrompted(route.settings)) throw notWritable(String(choice.choice.type));
}

function notWritable(type: string): TurnError {
  return new TurnError(
    "invalid_request",
    `\`tool_choice\` demands the tool ${JSON.stringify(type)}, which cannot be offered to this model: it knows functions only.`,
    { param: "tool_choice" },
  );
}

/** A Responses provider may know tools that stand elsewhere than in `tools`. */
function knowsOtherTools({ kind, settings }: Route): boolean {
  return kind === "responses" && !isPrompted(settings);
}

export function wayTo({ backend, breaker, settings }: Route, turn: Way["turn"]): Way {
  const { retries, timeouts } = settings;
  const { repair, reask, strict_failure: strictFailure } = settings.turn;
  return {
    backend,
    breaker,
    turn,
    recovery: recoveryFor(settings),
    prompted: isPrompted(settings),
    repair,
    retries,
    reask,
    strictFailure,
    firstContent: timeouts.first_content,
  };
}

/** What was taught in a prompt is read beside whatever else is, and where nothing else is. */
function recoveryFor({ dialects, tools, turn: { repair } }: Route["settings"]): Way["recovery"] {
  if (tools === "native") return dialects === "none" ? undefined : { dialects, repair, prompted: false };
  const others = dialects === "none" ? [] : dialects;
  const read = others === "auto" ? others : [...new Set([...others, sentinelDialect])];
  return { dialects: read, repair, prompted: true };
}

/** What of the client's tools is not offered to the model, by name. */
export function droppedTools({ tools, input }: Turn, offered: ReadonlySet<Tool>, route: Route): string[] {
  const dropped = tools.filter((tool) => !offered.has(tool)).map(toolLabel);
  return !knowsOtherTools(route) && input.some(isToolList) ? [...dropped, "additional_tools"] : dropped;
}

/** Some clients bring tools as an item of their input. */
function isToolList(item: Item): boolean {
  return item.type === "opaque" && item.fields.type === "additional_tools";
}

/** A header holds visible ASCII only, and not much of it. */
export function headerList(names: readonly string[]): string {
  return names
    .map((name) => name.replace(/[^\x21-\x7e]|,/g, "?"))
    .join(", ")
    .slice(0, 1024);
}
