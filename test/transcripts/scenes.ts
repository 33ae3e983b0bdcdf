import type { JsonObject } from "../../src/turn/index.ts";
import type { TurnWish } from "../support/gateway.ts";

/** One conversation: what the model writes in each turn, and what the client's tools return to its calls. */
export interface Scene {
  model?: string;
  wish: Partial<TurnWish>;
  /** What the model writes, in the order in which it is asked. */
  says: string[];
  /** The results of the calls of each turn but the last. */
  results?: string[][];
}

const place = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const weather = { name: "get_weather", description: "The weather of a city", parameters: place };
const time = { name: "get_time", description: "The time in a city", parameters: place };

function call(name: string, values: JsonObject): string {
  return `<tool_call>${JSON.stringify({ name, arguments: JSON.stringify(values) })}</tool_call>`;
}

const rome = call("get_weather", { city: "Rome" });
const wrong = call("get_weather", { town: "Rome" });

export const scenes: Record<string, Scene> = {
  single: {
    wish: { tools: [weather], system: "Answer in one sentence." },
    says: [`Let me look.\n${rome}`],
  },
  several: {
    wish: { tools: [weather, time], prompt: "What are the weather and the time in Rome?" },
    says: [`${rome}\n${call("get_time", { city: "Rome" })}`],
  },
  sequential: {
    wish: { tools: [weather, time], prompt: "What is the weather in Rome, and what time is it where it is warmer?" },
    says: [rome, `So it is warm.\n${call("get_time", { city: "Rome" })}`, "It is 21 degrees, and noon."],
    results: [['{"degrees":21}'], ["12:00"]],
  },
  "strict-failure": {
    wish: { tools: [{ ...weather, strict: true }] },
    says: [wrong],
  },
  "strict-failure-as-message": {
    model: "says",
    wish: { tools: [{ ...weather, strict: true }] },
    says: [wrong],
  },
  "asked-again": {
    model: "reask",
    wish: { tools: [{ ...weather, strict: true }] },
    says: [wrong, rome],
  },
  cutoff: {
    wish: { tools: [weather] },
    says: [`${rome}\nThe tool says that the weather in Rome is sunny, with 31 degrees and a light wind from the west.`],
  },
};
