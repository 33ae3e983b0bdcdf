import { isDeepStrictEqual } from "node:util";
import { defineCommand } from "citty";
import {
  type BackendConfig,
  type Config,
  formatDuration,
  isService,
  kindOf,
  type ModelConfig,
  outlivesProcess,
  storeKind,
} from "../config/index.ts";
import { displayPath, loadOrExplain, printMistakes } from "./load.ts";
import { placeOf, type StoredKeys, storedKeys } from "./open-store.ts";
import { findMissingKeys, isInForce } from "./public-address.ts";
import { align, heading } from "./table.ts";

export const checkFlags = {
  config: { type: "string", valueHint: "FILE", description: "The configuration (toolwire.yaml, if it is there)" },
} as const;

export const check = defineCommand({
  meta: { name: "check", description: "Validate a configuration and show what it comes to" },
  args: checkFlags,
  async run({ args: { config: file } }) {
    const loaded = await loadOrExplain(file === undefined ? {} : { file });
    if (loaded === null) return 1;
    const stored = await storedKeys(loaded.config);
    const mistake = findMissingKeys(loaded.config, stored, Date.now());
    if (mistake !== null) {
      printMistakes(loaded.file, [mistake]);
      return 1;
    }
    const source = loaded.file === null ? "No file: the defaults are used." : `${displayPath(loaded.file)} is fine.`;
    process.stdout.write(`${source}\n\n${describe(loaded.config, stored, heading)}`);
    const states = await describeStates(loaded.config);
    if (states.length > 0) process.stdout.write(`\n${heading("now")}\n${align(states)}`);
    return 0;
  },
});

/** Describes the configuration to a person. Secrets are shown only as set or not set. */
function describe(config: Config, stored: StoredKeys, title: (text: string) => string): string {
  const { listen, default_model, backends, models } = config;
  const blocks: [string, string[][]][] = [
    [
      "gateway",
      [
        ["listen", address(listen)],
        ["keys", describeKeys(config, stored)],
        ["store", describeStore(config)],
        ["default model", default_model ?? "none: a request must name its model"],
        ["limits", describeLimits(config, stored)],
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

const mostNames = 20;

function describeKeys({ keys }: Config, { keys: stored, trouble }: StoredKeys): string {
  const now = Date.now();
  const good = stored.filter((key) => isInForce(key, now)).map(({ name }) => name);
  const more = good.length > mostNames ? ` and ${good.length - mostNames} more` : "";
  const parts = [
    ...(keys.length === 0 ? [] : [keys.map(({ name }) => name).join(", ")]),
    ...(good.length === 0 ? [] : [`in the store: ${good.slice(0, mostNames).join(", ")}${more}`]),
    ...(trouble === null ? [] : [`those of the store are not known: ${trouble}`]),
  ];
  if (parts.length > 0) return parts.join("; ");
  return stored.length === 0
    ? "none: open to this machine only"
    : "none: those in the store are revoked or expired, so every request is refused";
}

function describeStore(config: Config): string {
  const { url, keep, required } = config.store;
  if (!outlivesProcess(url)) return "memory: what is kept is lost when the gateway stops";
  const kept = `kept for ${formatDuration(keep)}`;
  const place = storeKind(url) === "sqlite" ? `sqlite ${placeOf(config)}` : placeOf(config);
  return [place, kept, ...(required ? ["required"] : [])].join(", ");
}

/** The states of backends that run a program on this machine. A problem there is not a mistake in the configuration. */
async function describeStates(config: Config): Promise<string[][]> {
  const programs = [...Object.values(config.backends), ...Object.values(config.models).map(({ settings }) => settings)];
  if (!programs.some((settings) => kindOf(settings).runsProgram)) return [];
  const { createGateway } = await import("../gateway/index.ts");
  const telemetry = { ...config.telemetry, events: "none" };
  // The store is not needed, and must not be created.
  const store = { ...config.store, url: "memory:" };
  const gateway = await createGateway({ ...config, store, telemetry, log: { level: "silent" } });
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

function describeLimits({ keys, limits }: Config, stored: StoredKeys): string {
  const { concurrent, per_key, per_stored_key } = limits;
  const rate = keys.length === 0 && stored.keys.length > 0 ? per_stored_key : per_key;
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
