import { isDeepStrictEqual } from "node:util";
import type { Recovery, Way } from "../engine/index.ts";
import { checkDemand, sentinelDialect, toolLabel } from "../tools/index.ts";
import {
  type Backend,
  type Item,
  type JsonObject,
  type JsonValue,
  type Tool,
  type Turn,
  TurnError,
} from "../turn/index.ts";
import type { Route } from "./models.ts";

/** The turn as the route's backend can be asked: its model's name, and the tools that it can carry. */
export function turnFor(turn: Turn, { backend, model, settings }: Route): Turn {
  // Whatever the backend has itself: what is written into a prompt are functions.
  const carries = (tool: Tool) => (isPrompted(settings) ? tool.type === "function" : backend.carries(tool, turn));
  return { ...turn, model, tools: turn.tools.filter(carries) };
}

function isPrompted({ tools }: Route["settings"]): boolean {
  return tools === "prompted";
}

/** Some backends know only once they run what they can be asked for. */
function mustPrompt({ settings, backend }: Route, turn: Turn): boolean {
  return isPrompted(settings) || (backend.prompts?.(turn) ?? false);
}

/** Throws where the request demands a call that the route's backend cannot be asked for. */
export function checkRoute({ choice, tools }: Turn, route: Route): void {
  if (!knowsOtherTools(route)) checkDemand(choice, tools);
  if (choice.mode === "hosted" && (isPrompted(route.settings) || route.kind === "codex"))
    throw notWritable(String(choice.choice.type));
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

/** `asked` is the turn with more behind its input, as it was taken; `restored` the same with what its client has dropped. */
export function wayTo(route: Route, asked: (more: readonly Item[]) => Turn, restored: (turn: Turn) => Turn): Way {
  const { backend, breaker, settings } = route;
  const { retries, timeouts } = settings;
  const { repair, reask, strict_failure: strictFailure } = settings.turn;
  return {
    backend,
    breaker,
    question: (more) => {
      const turn = asked(more);
      const prompted = mustPrompt(route, turn);
      // Where calls are words, nothing but words need be remembered of them.
      return { turn: prompted ? turn : restored(turn), prompted, recovery: recoveryFor(settings, prompted) };
    },
    repair,
    retries,
    reask,
    strictFailure,
    firstContent: timeouts.first_content,
  };
}

/** What was taught in a prompt is read beside whatever else is, and where nothing else is. */
function recoveryFor({ dialects, turn: { repair } }: Route["settings"], prompted: boolean): Recovery | undefined {
  if (!prompted) return dialects === "none" ? undefined : { dialects, repair, prompted: false };
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

/** Parameters of the request that change nothing at this backend though they should. */
export function ignoredParameters(body: JsonObject, { ignored }: Backend): string[] {
  if (!ignored) return [];
  return [...ignored].flatMap(([name, usual]) => {
    const said = body[name];
    return said === undefined || isEmpty(said) || isDeepStrictEqual(said, usual) ? [] : [name];
  });
}

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === false || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** A header holds visible ASCII only, and not much of it. */
export function headerList(names: readonly string[]): string {
  return names
    .map((name) => name.replace(/[^\x21-\x7e]|,/g, "?"))
    .join(", ")
    .slice(0, 1024);
}
