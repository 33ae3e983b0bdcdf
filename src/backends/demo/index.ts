import { type Dialect, dialects } from "../../dialects/index.ts";
import { readPrompted, sentinelBlock } from "../../tools/index.ts";
import { type Backend, type BackendRound, noQuirks, type Turn, TurnError } from "../../turn/index.ts";
import { decide } from "./decide.ts";
import { type CallWriter, perform, writeScript } from "./script.ts";

export interface DemoOptions {
  /** The backend's name in the configuration. */
  name: string;
  /** Milliseconds between the pieces of a stream; 0 means no pause. */
  pace: number;
}

/**
 * A small deterministic model inside the product, to try, show and test tools without a key. If the model's name is a dialect, it
 * writes its calls as text in that dialect. If its tools are in the prompt, it writes calls as the prompt says.
 */
export function createDemoBackend({ name, pace }: DemoOptions): Backend {
  const models = new Set(["native", "demo", name, ""]);
  return {
    name,
    capabilities: { carries: (tool) => tool.type !== "hosted", quirks: noQuirks },
    async run(turn: Turn, round: BackendRound): Promise<void> {
      const dialect = dialectCalled(turn.model);
      if (!dialect && !models.has(turn.model)) {
        throw new TurnError(
          "model_not_found",
          `The backend ${name} has no model "${turn.model}"; there is ${name}/native, also called plain ${name}, and ${name}/DIALECT.`,
          { param: "model" },
        );
      }
      if (round.cancellation.reason) throw round.cancellation.reason;
      const prompted = turn.tools.length === 0 ? readPrompted(turn) : undefined;
      const writer = prompted ? sentinels : dialect;
      await perform(writeScript(turn, decide(prompted ?? turn), writer), round, pace);
    },
  };
}

const sentinels: CallWriter = { write: (calls) => calls.map(sentinelBlock).join("\n") };

function dialectCalled(name: string): Dialect | undefined {
  return dialects.find((dialect) => dialect.name === name && !dialect.internal);
}
