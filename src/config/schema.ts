import { isIPv6 } from "node:net";
import { z } from "zod";
import { backendsSchema, modelsSchema, turnSchema } from "./backend-schema.ts";
import { readDate } from "./date.ts";
import { duration, flag, integer, list, named, oneOf, section, size, text, value, wordOrList } from "./values.ts";

/** The schema of the file, with the defaults of keys that have one level only. `resolve.ts` has the defaults of merged keys. */

const rate = section({ requests: integer({ least: 1 }), per: duration() });

const key = z.preprocess(
  (input) => (typeof input === "string" ? { key: input } : input),
  section({
    name: text("a name").optional(),
    key: text("a key: visible characters without spaces", /^[^\s\p{Cc}]+$/u).optional(),
    hash: text("sha256: and 64 hexadecimal digits", /^sha256:[0-9a-f]{64}$/i).optional(),
    models: list(text("a model's name")).optional(),
    tools: list(text("a tool's name")).optional(),
    per_key: rate.nullish(),
    expires: value("a date such as 2030-01-31 or 2030-01-31T12:00:00Z", readDate).nullish(),
  }).superRefine(({ key, hash }, context) => {
    const message = "expected either a key or a hash";
    if (key === undefined && hash === undefined) context.addIssue({ code: "custom", path: ["key"], message });
    if (key !== undefined && hash !== undefined) context.addIssue({ code: "custom", path: ["hash"], message });
  }),
);

const origin = /^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/(?:[^\s/?#@,\\*:[\]]+|\[[0-9a-f:.]+\])(?::\d{1,5}|:\*)?\/?)$/i;

const storeUrl = /^(?:memory:|sqlite:(?!:memory:|\/\/(?!\/))[^\p{Cc}]+|postgres(?:ql)?:\/\/[^\s\p{Cc}]+)$/u;

const mcpServer = section({
  command: text("a program").optional(),
  args: list(text("a text", /^/)).optional(),
  env: named("a name of letters, digits and '_'", /^\w+$/, text("a text", /^/)).optional(),
  cwd: text("a folder").optional(),
  type: oneOf("stdio", "http", "sse").optional(),
  url: text("an address", /^https?:\/\/\S+$/).optional(),
  headers: named("the name of a header", /^[\w-]+$/, text("a text", /^/)).optional(),
  allowed_tools: list(text("a tool's name")).optional(),
});

export const settingsSchema = section({
  listen: section({
    host: text("a host name or address", /^[\w.:[\]%-]+$/).default("127.0.0.1"),
    port: integer({ most: 65_535 }).default(8787),
  }),
  keys: list(key),
  cors: section({
    origins: list(text("an origin such as https://app.example.com or http://localhost:*", origin)).default([
      "app://obsidian.md",
      "capacitor://localhost",
      "http://localhost:*",
      "http://127.0.0.1:*",
    ]),
  }),
  hosts: list(value("a host name such as gateway.lan or gateway.lan:8443", readHost)),
  log: section({ level: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent").default("info") }),
  default_model: text("a model's name").nullable().default(null),
  backends: backendsSchema,
  models: modelsSchema,
  turn: turnSchema,
  tools: section({
    enabled: flag().default(true),
    execution: oneOf("client", "server", "auto").default("auto"),
    modules: list(text("a file")).default([]),
    mcp_servers: named("a name of visible characters without spaces", /^[^\s\p{Cc}]+$/u, mcpServer),
    approval: wordOrList(["never", "always"], "tool names").default("never"),
    approval_wait: duration().default(120_000),
    timeout: duration().default(10_000),
    turn_timeout: duration().default(300_000),
    rate: rate.nullable().default(null),
    max_rounds: integer({ least: 1 }).default(8),
    max_calls: integer({ least: 1 }).default(32),
    result_limit: size().default(256 * 1_024),
    status_text: flag().default(false),
  }),
  use_tool: section({
    order: oneOf("tools_first", "as_written").default("tools_first"),
    hold: duration({ least: 0 }).default(3_000),
    blocks: oneOf("chunks", "messages").default("chunks"),
    result_guard: duration({ least: 0 }).default(5_000),
    re_emit: flag().default(false),
  }),
  rails: section({
    apply_patch: text("a folder").nullable().default(null),
    web_search: oneOf("never", "when_missed").default("never"),
  }),
  store: section({
    url: text("memory:, sqlite:PATH or postgres://…", storeUrl).default("sqlite:./toolwire.db"),
    keep: duration({ most: 36_500 * 86_400_000 }).default(30 * 86_400_000),
    required: flag().default(false),
  }),
  coordination: section({
    url: text("redis://…", /^rediss?:\/\/./)
      .nullable()
      .default(null),
  }),
  limits: section({
    // A string of a body, and the JSON for the provider, must fit into what V8 allows.
    body: size({ most: 256 * 1_024 ** 2 }).default(32 * 1_024 ** 2),
    memory: size().default(512 * 1_024 ** 2),
    concurrent: integer({ least: 1 }).default(1_024),
    per_key: rate.nullish(),
    stall: duration().default(60_000),
    drain: duration({ least: 0 }).default(30_000),
    tool_output: size().default(1_024 ** 2),
  }),
  telemetry: section({
    events: text("none, stdout or a file").default("none"),
    redact: flag().default(true),
    otlp: text("an address such as http://127.0.0.1:4318", /^https?:\/\/\S+$/)
      .nullable()
      .default(null),
  }),
});

/** The validated configuration with defaults, before its levels are merged. */
export type Settings = z.infer<typeof settingsSchema>;

function readHost(input: unknown): string | undefined {
  if (typeof input !== "string") return undefined;
  const [, name = "", , port = "0"] = /^(\[[^\]]*\]|[^:]*)(:(\d{1,5}))?$/.exec(input) ?? [];
  const known = /^[\w-]+(?:\.[\w-]+)*\.?$/.test(name) || (name.startsWith("[") && isIPv6(name.slice(1, -1)));
  return isIPv6(input) || (known && Number(port) <= 65_535) ? input : undefined;
}
