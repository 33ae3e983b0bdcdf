import { isDeepStrictEqual } from "node:util";
import type { BackendRequest, Candidate, Recovery } from "../engine/index.ts";
import { checkDemand, FunctionAdapter, sentinelDialect } from "../tools/index.ts";
import { type Backend, type JsonObject, type JsonValue, type Tool, type Turn, TurnError } from "../turn/index.ts";
import { isOwnCodex } from "./codex-client.ts";
import type { Route } from "./models.ts";

/** Adapts the turn to the route's backend: its name for the model, and tools in a form that it supports. */
export function adapterFor(turn: Turn, { backend, model, settings }: Route): FunctionAdapter {
  // A prompt can describe functions only, whatever the backend supports natively.
  const carries = (tool: Tool) =>
    isPrompted(settings) ? tool.type === "function" : backend.capabilities.carries(tool);
  return new FunctionAdapter({ ...turn, model }, carries);
}

function isPrompted({ tools }: Route["settings"]): boolean {
  return tools === "prompted";
}

/** Some backends learn only after their start which tools they support. */
function mustPrompt({ settings, backend }: Route, turn: Turn): boolean {
  return isPrompted(settings) || (backend.capabilities.needsPrompt?.(turn) ?? false);
}

/** Throws if the request demands a call that the route's backend cannot make. */
export function checkRoute(turn: Turn, route: Route): void {
  const { choice, tools } = turn;
  const { asksCodex, knowsOtherTools, refusesHostedChoice } = route.backend.capabilities;
  const prompted = isPrompted(route.settings);
  if (asksCodex && isOwnCodex(turn)) throw endless();
  if (prompted || !knowsOtherTools) checkDemand(choice, tools);
  if (choice.mode === "hosted" && (prompted || refusesHostedChoice)) throw notWritable(String(choice.choice.type));
}

function endless(): TurnError {
  return new TurnError(
    "invalid_request",
    "This request comes from the Codex that a Toolwire has started, and would go to a Codex again: the `model_provider` in that Codex's config.toml leads back here. Ask for a model of another backend, or give the codex backend a `home` of its own.",
    { param: "model" },
  );
}

function notWritable(type: string): TurnError {
  return new TurnError(
    "invalid_request",
    `\`tool_choice\` demands the tool ${JSON.stringify(type)}, which cannot be offered to this model: it knows functions only.`,
    { param: "tool_choice" },
  );
}

/** `onTaken` is called when the candidate is tried. `restored` adds to a turn what its client has dropped. */
export function candidateFor(
  route: Route,
  adapter: FunctionAdapter,
  { onTaken, restored }: { onTaken: () => void; restored: (turn: Turn) => Turn | Promise<Turn> },
): Candidate {
  const { backend, breaker, settings } = route;
  const { retries, timeouts } = settings;
  const { repair, reask, strict_failure: strictFailure } = settings.turn;
  return {
    backend,
    breaker,
    request: ({ history, choice }) => {
      onTaken();
      const asked = choice ? { ...adapter.turn, choice: adapter.choice(choice) } : adapter.turn;
      const turn = history.length > 0 ? { ...asked, input: [...asked.input, ...history] } : asked;
      const prompted = mustPrompt(route, turn);
      // In a prompted conversation calls are text, so nothing else needs to be restored.
      const complete = prompted ? turn : restored(turn);
      const toRequest = ({ input }: Turn): BackendRequest => ({
        turn: { ...turn, input: adapter.history(input) },
        prompted,
        recovery: recoveryFor(settings, prompted),
        adapter: adapter.converts ? adapter : undefined,
      });
      return complete instanceof Promise ? complete.then(toRequest) : toRequest(complete);
    },
    repair,
    retries,
    reask,
    strictFailure,
    firstContent: timeouts.first_content,
  };
}

/** The prompt's dialect is read in addition to the configured ones, even if those are `none`. */
function recoveryFor({ dialects, turn: { repair } }: Route["settings"], prompted: boolean): Recovery | undefined {
  if (!prompted) return dialects === "none" ? undefined : { dialects, repair, prompted: false };
  const others = dialects === "none" ? [] : dialects;
  const read = others === "auto" ? others : [...new Set([...others, sentinelDialect])];
  return { dialects: read, repair, prompted: true };
}

/** Parameters of the request that this backend ignores although they are not at their default. */
export function ignoredParameters(
  body: JsonObject,
  { capabilities: { ignoredParameters: ignored } }: Backend,
): string[] {
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

/** Header values are limited to visible ASCII and to a small size. */
export function headerList(names: readonly string[]): string {
  return names
    .map((name) => name.replace(/[^\x21-\x7e]|,/g, "?"))
    .join(", ")
    .slice(0, 1024);
}
