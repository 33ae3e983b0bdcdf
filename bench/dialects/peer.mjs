import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { run } from "../../scripts/run.mjs";
import { argumentsOf, parameters, toolName } from "./texts.mjs";

/** The other parser: a middleware of the AI SDK. It is fetched for a run and is no dependency of ours. */
export const peerName = "@ai-sdk-tool/parser";
export const peerVersion = "4.1.26";

/** Its dialects that are also ours. */
const protocols = {
  "hermes-json": "hermesProtocol",
  "qwen3-function-xml": "qwen3CoderProtocol",
  "morph-xml": "morphXmlProtocol",
  "yaml-xml": "yamlXmlProtocol",
};

const tools = [{ type: "function", name: toolName, inputSchema: parameters }];

export function hasPeer({ dialect, reading }) {
  return reading !== "whole" && Object.hasOwn(protocols, dialect.name);
}

/** Its protocols by our names. Fetched into a folder of its own, which is gone again when this returns. */
export async function loadPeer(folder) {
  if (folder !== undefined) return importFrom(resolve(folder));
  const temporary = mkdtempSync(join(tmpdir(), "toolwire-bench-"));
  try {
    const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"];
    const args = ["install", ...flags, "--prefix", temporary, `${peerName}@${peerVersion}`];
    const { code, output } = await npm(args, temporary);
    if (code !== 0) throw new Error(`npm could not fetch ${peerName}: ${output.trim().split("\n")[0]}`);
    return await importFrom(temporary);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function importFrom(folder) {
  const entry = join(folder, "node_modules", ...peerName.split("/"), "dist", "index.js");
  const module = await import(pathToFileURL(entry).href);
  return new Map(Object.entries(protocols).map(([name, maker]) => [name, module[maker]()]));
}

function npm(args, cwd) {
  const cli = process.env.npm_execpath;
  if (cli !== undefined && basename(cli) === "npm-cli.js") return run(process.execPath, [cli, ...args], { cwd });
  const windows = process.platform === "win32";
  return run(windows ? "npm.cmd" : "npm", args, { cwd, shell: windows });
}

/** Its stream parser, or a stream that does nothing: what the streams themselves cost is in both. */
export function parserOf(protocol) {
  return protocol ? protocol.createStreamParser({ tools, options: {} }) : new TransformStream();
}

/**
 * Drives a stream parser as its middleware does, with a part for each delta. What takes too long is left where it is; as each of
 * its deltas costs more than the one before it, the number of a part is less than that of the whole would be.
 */
export async function runTheirs(protocol, deltas, times, longest) {
  const until = performance.now() + longest;
  const state = { count: 0, isCapped: false, text: 0, call: undefined };
  const before = process.cpuUsage();
  for (let time = 0; time < times && !state.isCapped; time++) {
    const reader = partsOf(deltas, state, until).pipeThrough(parserOf(protocol)).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (value.type === "text-delta") state.text += value.delta.length;
      else if (value.type === "tool-call") state.call ??= value;
    }
  }
  const { user, system } = process.cpuUsage(before);
  return { cpu: user + system, ...state };
}

function partsOf(deltas, state, until) {
  let at = -1;
  return new ReadableStream({
    pull(controller) {
      if (at === -1) controller.enqueue({ type: "text-start", id: "1" });
      else if (at < deltas.length && !state.isCapped) {
        controller.enqueue({ type: "text-delta", id: "1", delta: deltas[at] });
        state.count++;
        if (at % 64 === 0) state.isCapped = performance.now() > until;
      } else {
        controller.enqueue({ type: "text-end", id: "1" });
        controller.enqueue({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: {} });
        controller.close();
      }
      at++;
    },
  });
}

/** Whether the call came as it was written. */
export function isIntact(call, size) {
  if (call?.toolName !== toolName) return false;
  const { path, content } = JSON.parse(call.input);
  const expected = argumentsOf(size);
  return path === expected.path && content === expected.content;
}
