import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { isObject, type JsonObject, parseJson } from "../../turn/index.ts";

const largestCatalog = 64 * 1024 * 1024;

/** The list of models that Codex knows by name, as it prints it; empty if it cannot, as in older versions. */
export async function readBundledModels(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const at = command.lastIndexOf("app-server");
  const [program, ...rest] = at === -1 ? [] : command.slice(0, at);
  return program === undefined ? "" : run(program, [...rest, "debug", "models", "--bundled"], env, signal);
}

/**
 * Codex gives tools and instructions to models that it knows, whatever its settings. Writes the model list without them: the home's
 * own list if it has one, else the bundled one. Returns false without a list.
 */
export async function writeBareModels(
  { model_catalog_json: own }: JsonObject,
  bundled: string,
  to: string,
): Promise<boolean> {
  const printed = typeof own === "string" ? await readFile(own, "utf8").catch(() => bundled) : bundled;
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
    // What the client does not set is left to the service, not to Codex.
    default_verbosity: null,
    ...("supports_reasoning_effort_updates" in model && { supports_reasoning_effort_updates: false }),
    ...(tools !== undefined && { experimental_supported_tools: [] }),
    // If Codex considers a conversation too long for a model, it summarizes it, and the client's messages are lost.
    context_window: everything,
    max_context_window: everything,
    ...(isObject(policy) && { truncation_policy: { ...policy, limit: everything } }),
  };
}

/** More than a request can hold, in any unit. */
const everything = 100_000_000;

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const options = { env, signal, killSignal: "SIGKILL", maxBuffer: largestCatalog, windowsHide: true } as const;
    execFile(program, args, options, (error, stdout) => resolve(error ? "" : stdout));
  });
}
