import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { isObject, type JsonObject, parseJson } from "../../src/turn/index.ts";
import { start as startProgram } from "../cli/program.ts";
import { objectsOf } from "../support/folded.ts";
import { ask, requestFor } from "../support/gateway.ts";
import { type Provider, type Script, startProvider } from "../support/provider.ts";
import {
  type CodexGateway,
  type CodexOptions,
  codexBinary,
  codexConfig,
  codexHome,
  configOf,
  readiness,
  startCodexGateway,
} from "./support/codex.ts";
import { parameters } from "./support/codex-trip.ts";
import { onlyRequest, upstreamMessages, upstreamTools } from "./support/codex-upstream.ts";

const tools = [{ name: "get_weather", description: "Weather now", parameters }];
const loginWith = (key: string) => JSON.stringify({ auth_mode: "apikey", OPENAI_API_KEY: key });
const fine: Script = () => ({ say: "Fine." });

let script: Script = fine;
let provider: Provider;
let other: Provider;
let proxy: Server;
/** Whom Codex would like to talk to beside its provider. */
const heard: string[] = [];
let gateway: CodexGateway | undefined;
beforeAll(async () => {
  provider = await startProvider((request) => script(request));
  other = await startProvider(() => ({ say: "From the other." }));
  proxy = createServer((request, response) => {
    heard.push(String(request.url));
    response.writeHead(502).end();
  });
  proxy.on("connect", (request, socket) => {
    heard.push(String(request.url));
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"])
    for (const written of [name, name.toLowerCase()]) vi.stubEnv(written, url);
  for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, "127.0.0.1");
});
afterAll(async () => {
  await provider.close();
  await other.close();
  proxy.close();
  vi.unstubAllEnvs();
});
beforeEach(() => {
  for (const list of [provider.requests, other.requests, heard]) list.length = 0;
  script = fine;
});
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

async function open(options: CodexOptions): Promise<CodexGateway> {
  gateway = await startCodexGateway(provider, options);
  return gateway;
}

const say = (to: CodexGateway, more: JsonObject = {}) =>
  ask(to, "chat", { ...requestFor("chat", { model: "codex", prompt: "Hello." }), ...more });

/** A `config.toml` that has this in the place of its provider's key. */
const keyedBy = (lines: string) => configOf(provider.url).replace(/^experimental_bearer_token.*$/m, lines);

function codex(...args: string[]): string {
  const home = codexHome(null);
  const env = { ...process.env, CODEX_HOME: home.folder };
  const printed = execFileSync(codexBinary, args, { env, stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 26 });
  home.remove();
  return printed.toString("utf8");
}

const eventually = { timeout: 20_000, interval: 250 };

/** Codex as on a busy machine: whoever starts it is heard a second later. */
const slowly = 'case "$1" in app-server) { sleep 1; cat; } | "$0" "$@" ;; *) exec "$0" "$@" ;; esac';

describe.each<[string, () => string, RegExp]>([
  ["a provider that is misspelled", () => configOf(provider.url).replace('"fake"', '"faek"'), /faek/],
  ["TOML that cannot be read", () => `${configOf(provider.url)}\n[model_providers.fake\n`, /line|TOML|expected/i],
])("a mistake in the config.toml of a home that is logged in: %s", (_, text, named) => {
  const mistaken = () => codexHome(null, { more: text(), files: { "auth.json": loginWith("sk-login-0123456789") } });

  it("is named at /ready and in every error, and no model is asked until it is mended", async () => {
    const home = mistaken();
    const opened = await open({ home });
    const ready = await readiness(opened);
    const refused = await say(opened);
    expect([ready.status, refused.status, refused.error?.code]).toEqual([503, 503, "upstream_unavailable"]);
    for (const told of [ready.text, refused.error?.message]) {
      expect(told).toContain(join(home.folder, "config.toml"));
      expect(told).toMatch(named);
    }
    expect(provider.requests).toEqual([]);
    home.write("config.toml", configOf(provider.url));
    await vi.waitFor(async () => expect(await readiness(opened)).toMatchObject({ status: 200 }), eventually);
    expect((await say(opened)).text).toBe("Fine.");
  });

  it("lets Codex talk to nobody by itself", async () => {
    const command = ["/bin/sh", "-c", slowly, codexBinary, "app-server"];
    expect((await say(await open({ home: mistaken(), backend: { command } }))).status).toBe(503);
    expect([...heard, ...provider.requests]).toEqual([]);
  });
});

describe("a key that the home wants in a variable", () => {
  it("is named where it is not set, and another model is asked where there is one", async () => {
    const variable = "TOOLWIRE_TEST_UNSET";
    const home = codexHome(null, { more: keyedBy(`env_key = "${variable}"`) });
    const spare = { kind: "responses", base_url: other.url, api_key: "sk-spare-0123456789" };
    const { backends } = codexConfig(home);
    const models = { careful: { backend: "codex", model: "codex", fallback: ["spare/m"] } };
    const opened = await open({ home, config: { backends: { ...(isObject(backends) && backends), spare }, models } });
    expect(await readiness(opened)).toMatchObject({ status: 503, text: expect.stringContaining(variable) });
    expect(await say(opened)).toMatchObject({
      ...{ status: 503, error: { code: "upstream_unavailable", message: expect.stringContaining(variable) } },
    });
    expect(await say(opened, { model: "careful" })).toMatchObject({ status: 200, text: "From the other." });
    expect(provider.requests).toEqual([]);
  });

  it("may stand in .env of the home", async () => {
    const files = { ".env": "TOOLWIRE_TEST_DOTENV='sk-dotenv-0123456789'\n" };
    const opened = await open({ home: codexHome(null, { more: keyedBy('env_key = "TOOLWIRE_TEST_DOTENV"'), files }) });
    expect(await readiness(opened)).toMatchObject({ status: 200 });
    expect((await say(opened)).text).toBe("Fine.");
    expect(provider.requests[0]?.headers.authorization).toBe("Bearer sk-dotenv-0123456789");
  });
});

describe("the keys of a home", () => {
  const keys = ["token", "header", "dotenv", "variable", "login"].map((name) => `tk.${name}.0123456789`);
  const [token = "", header = "", dotenv = "", variable = "", login = ""] = keys;

  it.each([400, 401])("reach neither the client nor the log when the provider quotes them (%s)", async (status) => {
    const message = `Refused: ${keys.join(" and ")}.`;
    script = () => ({ status, body: { error: { message, type: "invalid_request_error", param: null, code: "no" } } });
    const more = `${keyedBy(`experimental_bearer_token = "${token}"`)}
http_headers = { "x-extra" = "${header}" }
env_http_headers = { "x-more" = "TOOLWIRE_TEST_DOTENV" }

[model_providers.second]
name = "Second"
base_url = "${provider.url}"
env_key = "TOOLWIRE_TEST_SECOND"
`;
    const files = { "auth.json": loginWith(login), ".env": `TOOLWIRE_TEST_DOTENV="${dotenv}"\n` };
    const home = codexHome(null, { more, files });
    const config = { ...codexConfig(home), telemetry: { redact: false }, log: { level: "debug" } };
    const program = startProgram(["--port", "0"], {
      files: { "toolwire.yaml": JSON.stringify(config) },
      environment: { TOOLWIRE_TEST_SECOND: variable },
    });
    const line = await program.line(/listening on/);
    const at = { url: line.slice(line.indexOf("http")) };
    expect(await readiness(at)).toMatchObject({ status: 200 });
    let told = "";
    for (const api of ["chat", "responses"] as const) {
      const answer = await ask(at, api, requestFor(api, { model: "codex" }));
      expect(answer).toMatchObject({ status, error: { message: expect.stringMatching(/^Refused: /) } });
      told += answer.raw;
    }
    program.child.kill("SIGTERM");
    const { stdout, stderr } = await program.finished;
    home.remove();
    expect(stderr).toContain("Refused: ");
    expect(keys.filter((key) => `${told}${stdout}${stderr}`.includes(key))).toEqual([]);
    expect(provider.requests[0]?.headers).toMatchObject({
      ...{ authorization: `Bearer ${token}`, "x-extra": header, "x-more": dotenv },
    });
  });
});

describe("what a home has for Codex", () => {
  const expectBare = async () => {
    const asked = await onlyRequest(provider);
    expect(upstreamTools(asked)).toEqual(tools.map((tool) => ({ type: "function", strict: false, ...tool })));
    expect(upstreamMessages(asked)).toEqual([["user", "Hello."]]);
    return asked;
  };
  const wish = requestFor("chat", { model: "codex", tools, prompt: "Hello." });

  it("brings the model no tool and no word, and be every feature switched on", async () => {
    const names = codex("features", "list").match(/^\w+(?=\s)/gm) ?? [];
    expect(names).toEqual(expect.arrayContaining(["deferred_executor", "multi_env_copy_file", "goals"]));
    const opened = await open({ more: `\n[features]\n${names.map((name) => `${name} = true`).join("\n")}` });
    expect((await ask(opened, "chat", wish)).text).toBe("Fine.");
    await expectBare();
    expect(heard).toEqual([]);
  });

  it("is kept, but without its tools, where it is a list of models", async () => {
    const catalog = parseJson(codex("debug", "models", "--bundled"));
    const known = objectsOf(isObject(catalog) ? catalog.models : undefined).find(({ slug }) => slug === "gpt-6.1-sol");
    const own = { ...known, slug: "my-model", display_name: "Mine", default_reasoning_level: "high" };
    const home = codexHome(null, { files: { "models.json": JSON.stringify({ models: [own] }) } });
    const path = JSON.stringify(join(home.folder, "models.json"));
    home.write("config.toml", configOf(provider.url, `model_catalog_json = ${path}`));
    const opened = await open({ home });
    expect(await (await fetch(`${opened.url}/v1/models`)).text()).toContain('"codex/my-model"');
    await ask(opened, "chat", { ...wish, model: "codex/my-model", verbosity: "high" });
    const asked = await expectBare();
    expect(asked).toMatchObject({ model: "my-model", reasoning: { effort: "high" }, text: { verbosity: "high" } });
  });

  it("does not say how many words a model uses: the request does, or nobody", async () => {
    const opened = await open({});
    for (const more of [{}, { verbosity: "low" }]) await say(opened, { model: "codex/gpt-5.5", ...more });
    const texts = provider.requests.map(({ body }) => (isObject(body.text) ? body.text.verbosity : undefined));
    expect(texts).toEqual([undefined, "low"]);
  });
});

describe("a home that is changed while the gateway runs", () => {
  it("is taken up within seconds, first a login and then a provider, and the turns that run end whole", async () => {
    const words = Array.from({ length: 100 }, (_, count) => `word-${count} `).join("");
    const files = { "auth.json": loginWith("sk-first-0123456789") };
    const home = codexHome(null, { more: keyedBy("requires_openai_auth = true"), files });
    const opened = await open({ home });
    script = ({ count }) => (count === 1 ? { say: words, chunk: 10, pieceDelay: 150 } : { say: "Fine." });
    const running = ask(opened, "responses", requestFor("responses", { model: "codex", stream: true }));
    await vi.waitFor(() => expect(provider.requests).toHaveLength(1), eventually);
    const lastKey = () => provider.requests.at(-1)?.headers.authorization;
    expect(lastKey()).toBe("Bearer sk-first-0123456789");

    home.write("auth.json", loginWith("sk-second-0123456789"));
    await vi.waitFor(async () => {
      expect((await say(opened)).text).toBe("Fine.");
      expect(lastKey()).toBe("Bearer sk-second-0123456789");
    }, eventually);
    home.write("config.toml", configOf(other.url));
    await vi.waitFor(async () => expect((await say(opened)).text).toBe("From the other."), eventually);
    expect(await running).toMatchObject({ status: 200, text: words, ended: "completed" });
  }, 60_000);
});
