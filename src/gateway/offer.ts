import type { Way } from "../engine/index.ts";
import { checkDemand, toolLabel } from "../tools/index.ts";
import type { Item, Tool, Turn } from "../turn/index.ts";
import type { Route } from "./models.ts";

/** The turn as the route's backend can be asked: its model's name, and the tools that it can carry. */
export function turnFor(turn: Turn, { backend, model }: Route): Turn {
  return { ...turn, model, tools: turn.tools.filter((tool) => backend.carries(tool, turn)) };
}

/** Throws where the request demands a call that the route's backend cannot be asked for. */
export function checkRoute({ choice, tools }: Turn, { kind }: Route): void {
  // A Responses provider may know tools that stand elsewhere than in `tools`.
  if (kind !== "responses") checkDemand(choice, tools);
}

export function wayTo({ backend, breaker, settings }: Route, turn: () => Turn): Way {
  const { dialects, retries, timeouts } = settings;
  const recovery = dialects === "none" ? undefined : { dialects, repair: settings.turn.repair };
  return { backend, breaker, turn, recovery, retries, firstContent: timeouts.first_content };
}

/** What of the client's tools is not offered to the model, by name. */
export function droppedTools({ tools, input }: Turn, offered: ReadonlySet<Tool>, { kind }: Route): string[] {
  const dropped = tools.filter((tool) => !offered.has(tool)).map(toolLabel);
  return kind !== "responses" && input.some(isToolList) ? [...dropped, "additional_tools"] : dropped;
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
