import { z } from "zod";
import { isMapping } from "./mapping.ts";
import { didYouMean } from "./nearest.ts";
import { duration, flag, integer, list, named, oneOf, section, strict, text, value, wordOrList } from "./values.ts";

/** What a backend, a model or every turn can be told: the shapes as they are written, all optional where another level has the default. */

export const turnShape = {
  keep_alive: duration().optional(),
  strict_failure: oneOf("error", "message").optional(),
  reask: integer({ most: 10 }).optional(),
  repair: flag().optional(),
  profile: oneOf("openai", "extended").optional(),
  emit: oneOf("auto", "structured", "use_tool").optional(),
  ids: oneOf("random", "sequential").optional(),
};

const timeoutsShape = {
  connect: duration().optional(),
  first_content: duration().optional(),
  idle: duration().optional(),
  total: duration().optional(),
};

const breakerShape = {
  failures: integer({ least: 1 }).optional(),
  window: duration().optional(),
  cooldown: duration().optional(),
};

/** Settings of a backend that a model may override. The turn's settings may stand among them or under `turn`. */
const sharedShape = {
  tools: oneOf("native", "prompted").optional(),
  dialects: wordOrList(["auto", "none"], "dialect names").optional(),
  timeouts: section(timeoutsShape),
  breaker: section(breakerShape),
  retries: integer({ most: 10 }).optional(),
  turn: section(turnShape),
  ...turnShape,
};

/** Undici refuses these, or they are the connection's own. */
const connectionHeaders = new Set(
  "connection content-length expect host keep-alive te trailer transfer-encoding upgrade".split(" "),
);

const header = text("a text without line breaks", /^[\t\x20-\x7e\x80-\xff]*$/);
const headerName = new RegExp(`^(?!(?:${[...connectionHeaders].join("|")})$)[!#$%&'*+.^_\`|~0-9a-z-]+$`, "i");

const httpShape = {
  base_url: value("an address such as https://api.example.com/v1, without a user, ? or #", readBaseUrl),
  api_key: text("a key: visible ASCII characters without spaces", /^[!-~]+$/).nullish(),
  headers: named("the name of a header that is not the connection's own (host, content-length, …)", headerName, header),
};

const command = value("a list of a program and its arguments", (input) =>
  Array.isArray(input) && input.length > 0 && input.every((word): word is string => typeof word === "string")
    ? input
    : undefined,
);

const chat = strict({ kind: z.literal("chat"), ...httpShape, ...sharedShape });
const responses = strict({ kind: z.literal("responses"), ...httpShape, ...sharedShape });
const codex = strict({
  kind: z.literal("codex"),
  command: command.default(["codex", "app-server"]),
  home: text("a folder").default("~/.codex"),
  fetch_images: flag().default(false),
  ...sharedShape,
});
const demo = strict({
  kind: z.literal("demo"),
  pace: duration({ least: 0 }).default(15),
  ...sharedShape,
});

export const backendKinds = ["chat", "responses", "codex", "demo"] as const;

const backend = z.preprocess(
  (input, context) => {
    if (input !== null && !isMapping(input)) return input;
    const { kind = "chat", ...rest } = input ?? {};
    if (!backendKinds.some((known) => known === kind)) {
      context.addIssue({
        code: "custom",
        path: ["kind"],
        message: `expected one of ${backendKinds.join(", ")}`,
        params: { hint: didYouMean(kind, backendKinds), decidesTheRest: true },
        input: kind,
      });
      return z.NEVER;
    }
    return { kind, ...rest };
  },
  z.discriminatedUnion("kind", [chat, responses, codex, demo], { error: () => "expected a mapping" }),
);

const model = section({
  backend: text("the name of a backend"),
  model: text("the model's name at its backend").optional(),
  fallback: list(text("a model's name")),
  base_url: httpShape.base_url.optional(),
  api_key: httpShape.api_key,
  headers: httpShape.headers.optional(),
  command: command.optional(),
  home: text("a folder").optional(),
  fetch_images: flag().optional(),
  pace: duration({ least: 0 }).optional(),
  ...sharedShape,
});

export const backendsSchema = named("a name of letters, digits, '-', '_' and '.'", /^[a-z0-9][\w.-]*$/i, backend);
export const modelsSchema = named("a name of visible characters without spaces", /^[^\s\p{Cc}]+$/u, model);
export const turnSchema = section(turnShape);

function readBaseUrl(input: unknown): string | undefined {
  if (typeof input !== "string" || !URL.canParse(input)) return undefined;
  const { protocol, username, password } = new URL(input);
  const usable = /^https?:$/.test(protocol) && username === "" && password === "" && !/[?#\s]/.test(input);
  return usable ? input.replace(/\/+$/, "") : undefined;
}
