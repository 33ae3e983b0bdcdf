import { type FunctionTool, giveLoopBack, isLoopHeld, type Tool, TurnError } from "../../turn/index.ts";
import { measure, type Refusal } from "./caps.ts";
import { checkable } from "./checkable-schemas.ts";
import { quoted } from "./words.ts";

/** Limits for all strict schemas of a request together: they are prepared before the request is accepted. */
const mostNodes = 20_000;
const mostSize = 1024 * 1024;
/** Cost of a schema in addition to its nodes, in nodes. */
const overhead = 10;

/**
 * Rejects a request with a strict tool whose schema cannot be checked safely. `at` returns the path of a tool's schema in the
 * request. For other tools such a schema is not checked. `undefined` if no tool is strict.
 */
export function checkStrictSchemas(tools: readonly Tool[], at: (index: number) => string): Promise<void> | undefined {
  return tools.some(isStrict) ? checkAll(tools, at) : undefined;
}

/** Gives the event loop back between the tools: the schemas of a request may take long to prepare. */
async function checkAll(tools: readonly Tool[], at: (index: number) => string): Promise<void> {
  let nodes = 0;
  let size = 0;
  for (const [index, tool] of tools.entries()) {
    if (!isStrict(tool) || !tool.parameters) continue;
    const extent = measure(tool.parameters);
    if ("nodes" in extent) {
      nodes += extent.nodes + overhead;
      size += extent.size;
    }
    const tooMuch = nodes > mostNodes ? tooManyNodes : size > mostSize ? tooLarge : undefined;
    const schema = tooMuch ?? checkable(tool.parameters, extent);
    if ("because" in schema) throw refused(tool.name, at(index), schema);
    if (isLoopHeld()) await giveLoopBack();
  }
}

function isStrict(tool: Tool): tool is FunctionTool {
  return tool.type === "function" && tool.strict === true;
}

const tooManyNodes: Refusal = {
  because: `is, together with those of the strict tools before it, too large (${mostNodes} objects and lists)`,
  advice: "Send fewer tools",
};

const tooLarge: Refusal = {
  because: `is, together with those of the strict tools before it, larger than ${mostSize / 1024 / 1024} MB`,
  advice: "Send fewer tools",
};

function refused(name: string, param: string, { because, advice }: Refusal): TurnError {
  return new TurnError(
    "invalid_request",
    `The schema of the strict tool ${quoted(name)} cannot be checked because it ${because}. ${advice}, or leave \`strict\` out.`,
    { param },
  );
}
