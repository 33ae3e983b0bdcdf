import { isDeepStrictEqual } from "node:util";
import { defineCommand } from "citty";
import {
  type BackendConfig,
  type Config,
  formatDuration,
  isService,
  kindOf,
  type ModelConfig,
} from "../config/index.ts";
import { displayPath, loadOrExplain } from "./load.ts";

export const checkFlags = {
  config: { type: "string", valueHint: "FILE", description: "The configuration (toolwire.yaml, if it is there)" },
} as const;

export const check = defineCommand({
  meta: { name: "check", description: "Validate a configuration and show what it comes to" },
  args: checkFlags,
  async run({ args: { config: file } }) {
    const loaded = await loadOrExplain(file === undefined ? {} : { file });
    if (loaded === null) return 1;
    const source = loaded.file === null ? "No file: the defaults are used." : `${displayPath(loaded.file)} is fine.`;
    process.stdout.write(`${source}\n\n${describe(loaded.config, heading)}`);
    const states = await describeStates(loaded.config);
    if (states.length > 0) process.stdout.write(`\n${heading("now")}\n${align(states)}`);
    return 0;
  },
});

/** Describes the configuration to a person. Secrets are shown only as set or not set. */
export function describe(config: Config, title: (text: string) => string = (text) => text): string {
  const { listen, keys, default_model, backends, models, limits } = config;
  const blocks: [string, string[][]][] = [
    [
      "gateway",
      [
        ["listen", address(listen)],
        ["keys", keys.length === 0 ? "none: open to this machine only" : keys.map(({ name }) => name).join(", ")],
        ["default model", default_model ?? "none: a request must name its model"],
        ["limits", describeLimits(limits)],
      ],
    ],
    ["backends", Object.entries(backends).map(([name, backend]) => [name, backend.kind, ...describeBackend(backend)])],
    [
      "models",
      [...Object.entries(models).map(([name, model]) => [name, describeModel(model, backends)]), ...open(config)],
    ],
    [
      "tools",
      [
        ["the client's own", "passed to the model"],
        ["the gateway's", "none"],
      ],
    ],
  ];
  return blocks.map(([name, rows]) => `${title(name)}\n${align(rows)}`).join("\n");
}

/** The states of backends that run a program on this machine. A problem there is not a mistake in the configuration. */
async function describeStates(config: Config): Promise<string[][]> {
  const programs = [...Object.values(config.backends), ...Object.values(config.models).map(({ settings }) => settings)];
  if (!programs.some((settings) => kindOf(settings).runsProgram)) return [];
  const { createGateway } = await import("../gateway/index.ts");
  const telemetry = { ...config.telemetry, events: "none" };
  const gateway = createGateway({ ...config, telemetry, log: { level: "silent" } });
  const rows = (await gateway.states()).flatMap(({ backend, trouble, notes }) =>
    [trouble ?? "ready", ...notes].map((sentence) => [backend, sentence]),
  );
  await gateway.close();
  return rows.filter((row, at) => rows.findIndex((other) => isDeepStrictEqual(other, row)) === at);
}

function address({ host, port }: Config["listen"]): string {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return `http://${bare.includes(":") ? `[${bare}]` : bare}:${port === 0 ? "(any free port)" : port}`;
}

function describeBackend(backend: BackendConfig): string[] {
  const columns = kindOf(backend).describe(backend);
  return [...columns.slice(0, -1), [...columns.slice(-1), ...describeCalls(backend)].join(", ")];
}

/** How tools are offered and calls are found. Default values are left out. */
function describeCalls({ tools, dialects }: CallSettings, usual: CallSettings = usualCalls): string[] {
  return [
    ...(tools === usual.tools ? [] : [`tools ${tools}`]),
    ...(isDeepStrictEqual(dialects, usual.dialects)
      ? []
      : [`dialects ${Array.isArray(dialects) ? dialects.join(" ") : dialects}`]),
  ];
}

type CallSettings = Pick<BackendConfig, "tools" | "dialects">;

const usualCalls: CallSettings = { tools: "native", dialects: "auto" };

function describeModel({ backend, model, settings, fallback }: ModelConfig, backends: Config["backends"]): string {
  const own = describeCalls(settings, backends[backend]).join(", ");
  return [`${backend}/${model}${own === "" ? "" : ` with ${own}`}`, ...fallback].join(", then ");
}

function describeLimits({ concurrent, per_key: rate }: Config["limits"]): string {
  const perKey = rate ? `${rate.requests} requests a key in ${formatDuration(rate.per)}` : "any number of requests";
  return `${perKey}, ${concurrent} turns at once`;
}

/** Model names that work without an entry in `models`. */
function open({ backends }: Config): string[][] {
  const rows = Object.entries(backends).flatMap(([name, backend]) => openNames(name, backend));
  const services = Object.entries(backends).filter(([, backend]) => isService(backend));
  return services.length === 1 ? [...rows, ["any other name", `passed on to ${services[0]?.[0]}`]] : rows;
}

function openNames(name: string, backend: BackendConfig): string[][] {
  const { ownName, fixedModels } = kindOf(backend);
  const own = ownName ? [[name, ownName.describe(name)]] : [];
  if (!fixedModels) return [...own, [`${name}/…`, `any model of ${name}`]];
  // With prompted tools all variants write their calls in the form that the prompt describes.
  if (backend.tools === "prompted") return own;
  const { name: placeholder, meaning } = fixedModels.variantsInWords;
  return [...own, [`${name}/${placeholder}`, meaning]];
}

function align(rows: string[][]): string {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows
    .map(
      (row) =>
        `  ${row
          .map((cell, column) => cell.padEnd(width(column)))
          .join("   ")
          .trimEnd()}\n`,
    )
    .join("");
}

function heading(text: string): string {
  const plain = !process.stdout.isTTY || process.env.NO_COLOR || process.env.TERM === "dumb";
  return plain ? text : `\x1b[1m${text}\x1b[22m`;
}
