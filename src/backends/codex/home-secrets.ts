import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../turn/index.ts";

/** Shorter values may be ordinary words that occur everywhere. */
const shortest = 8;

/** The secrets of a home that must not leave it: the keys of its providers and its login. */
export async function readSecrets(home: string, config: JsonObject, env: NodeJS.ProcessEnv): Promise<string[]> {
  const [login, dotenv] = await Promise.all([read(join(home, "auth.json")), readEnvironment(home)]);
  const providers = isObject(config.model_providers) ? Object.values(config.model_providers).filter(isObject) : [];
  const found = [
    ...textsIn(parseJson(login)),
    ...Object.values(dotenv),
    ...providers.flatMap((provider) => secretsOf(provider, { ...env, ...dotenv })),
  ];
  return [...new Set(found.filter((text) => text.length >= shortest))];
}

/** The environment variable of the provider's key, if it is not set. Without it every request fails. */
export async function missingVariable(
  home: string,
  config: JsonObject,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const { model_provider: named, model_providers: all } = config;
  const provider = isObject(all) && typeof named === "string" ? all[named] : undefined;
  const variable = isObject(provider) ? provider.env_key : undefined;
  if (typeof variable !== "string" || env[variable]) return undefined;
  return (await readEnvironment(home))[variable] ? undefined : variable;
}

function secretsOf(provider: JsonObject, env: NodeJS.ProcessEnv): string[] {
  const {
    experimental_bearer_token: token,
    env_key: variable,
    http_headers: headers,
    env_http_headers: named,
  } = provider;
  const variables = [variable, ...(isObject(named) ? Object.values(named) : [])];
  return [
    ...(typeof token === "string" ? [token] : []),
    ...textsIn(headers),
    ...variables.flatMap((name) => (typeof name === "string" ? (env[name] ?? []) : [])),
  ];
}

function textsIn(value: JsonValue | undefined): string[] {
  if (typeof value === "string") return [value];
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** Codex also reads variables from a file in its home. */
async function readEnvironment(home: string): Promise<Record<string, string>> {
  const lines = (await read(join(home, ".env"))).split("\n");
  const entries = lines.flatMap((line) => {
    const written = line.trim();
    const [before = "", name = ""] = /^(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(written) ?? [];
    const value = written.slice(before.length).trimStart();
    return name === "" ? [] : [[name, value.replace(/^(["'])(.*)\1$/, "$2")] as const];
  });
  return Object.fromEntries(entries);
}

function read(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
