import { createDemoBackend } from "../../../src/backends/demo/index.ts";
import {
  type BackendEvent,
  Cancellation,
  type FunctionTool,
  type Item,
  type JsonObject,
  type JsonValue,
  type Turn,
} from "../../../src/turn/index.ts";

export function user(text: string): Item {
  return { type: "message", role: "user", content: [{ type: "text", text }] };
}

export function turnOf(question: string | Item[], more: Partial<Turn> = {}): Turn {
  return {
    api: "chat",
    model: "native",
    stream: false,
    input: typeof question === "string" ? [user(question)] : question,
    tools: [],
    choice: { mode: "auto" },
    settings: {},
    parameters: {},
    ...more,
  };
}

/** A tool whose parameters are named with `!` where they are required. */
export function tool(name: string, description: string, parameters: Record<string, JsonObject>): FunctionTool {
  const names = Object.keys(parameters);
  return {
    type: "function",
    name,
    description,
    parameters: {
      type: "object",
      properties: Object.fromEntries(names.map((key) => [key.replace("!", ""), parameters[key]])),
      required: names.filter((key) => key.endsWith("!")).map((key) => key.slice(0, -1)),
      additionalProperties: false,
    },
  };
}

export const text: JsonObject = { type: "string" };
export const number: JsonObject = { type: "number" };

export const getWeather = tool("get_weather", "Get the current weather for a location", {
  "location!": { type: "string", description: "City and state, e.g. San Francisco, CA" },
  unit: { type: "string", enum: ["celsius", "fahrenheit"] },
});
export const getTime = tool("get_time", "Get the current time in a city", { "city!": text });
export const add = tool("add", "Add two numbers", { "a!": number, "b!": number });
export const multiply = tool("multiply", "Multiply two numbers", { "a!": number, "b!": number });
export const search = tool("web_search", "Search the web", { "query!": text, limit: { type: "integer" } });

export async function play(turn: Turn, pace = 0): Promise<BackendEvent[]> {
  const events: BackendEvent[] = [];
  await createDemoBackend({ name: "demo", pace }).run(turn, {
    emit: (event) => events.push(event),
    flush: () => undefined,
    cancellation: new Cancellation(),
  });
  return events;
}

export interface Heard {
  text: string;
  reasoning: string;
  /** Whole calls only. */
  calls: { kind: string; name: string; arguments: string }[];
  started: number;
  finish: string | undefined;
  events: BackendEvent[];
}

export function heard(events: BackendEvent[]): Heard {
  const sofar: Heard = { text: "", reasoning: "", calls: [], started: 0, finish: undefined, events };
  const open = new Map<number, { kind: string; name: string; arguments: string }>();
  for (const event of events) {
    if (event.type === "text.delta") sofar.text += event.text;
    if (event.type === "reasoning.delta") sofar.reasoning += event.text;
    if (event.type === "call.started") open.set(event.call, { kind: event.kind, name: event.name, arguments: "" });
    const call = "call" in event && event.call !== undefined ? open.get(event.call) : undefined;
    if (event.type === "call.arguments" && call) call.arguments += event.delta;
    if (event.type === "call.done" && call) sofar.calls.push(call);
    if (event.type === "round.finished") sofar.finish = event.reason;
  }
  sofar.started = open.size;
  return sofar;
}

export async function ask(question: string | Item[], more: Partial<Turn> = {}): Promise<Heard> {
  return heard(await play(turnOf(question, more)));
}

/** The calls as `[name, arguments]`. */
export async function callsFor(question: string, more: Partial<Turn> = {}): Promise<[string, JsonValue][]> {
  const { calls } = await ask(question, more);
  return calls.map((call) => [call.name, JSON.parse(call.arguments)]);
}
