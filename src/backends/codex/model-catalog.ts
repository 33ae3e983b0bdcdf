import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { isObject, type JsonObject, parseJson } from "../../turn/index.ts";

/** Codex starts in a tenth of a second; the list is known to it without asking anybody. */
const patience = 20_000;
const largestCatalog = 64 * 1024 * 1024;

/**
 * Codex knows some models by name, and gives them tools and a way of working whatever its settings say. Writes its own list of them
 * with all that taken out, and tells whether there is one: older versions have none.
 */
export async function writeModelCatalog(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  to: string,
): Promise<boolean> {
  const at = command.lastIndexOf("app-server");
  const [program, ...rest] = at === -1 ? [] : command.slice(0, at);
  if (program === undefined) return false;
  const printed = await run(program, [...rest, "debug", "models", "--bundled"], env);
  const catalog = parseJson(printed);
  if (!isObject(catalog) || !Array.isArray(catalog.models) || catalog.models.length === 0) return false;
  await writeFile(to, JSON.stringify({ ...catalog, models: catalog.models.filter(isObject).map(bareModel) }));
  return true;
}

function bareModel(model: JsonObject): JsonObject {
  const { truncation_policy: policy, experimental_supported_tools: tools } = model;
  return {
    ...model,
    tool_mode: "direct",
    multi_agent_version: "disabled",
    apply_patch_tool_type: null,
    shell_type: "disabled",
    supports_search_tool: false,
    ...(tools !== undefined && { experimental_supported_tools: [] }),
    // Where a conversation seems too long for a model, Codex has it summed up, and what the client said is gone.
    context_window: everything,
    max_context_window: everything,
    ...(isObject(policy) && { truncation_policy: { ...policy, limit: everything } }),
  };
}

/** Beyond what a request can hold, by whichever measure it is counted. */
const everything = 100_000_000;

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    const options = { env, timeout: patience, maxBuffer: largestCatalog, windowsHide: true };
    execFile(program, args, options, (error, stdout) => resolve(error ? "" : stdout));
  });
}
