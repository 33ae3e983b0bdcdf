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
  type CodexHome,
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
const loginKey = "sk-login-abcdefghij0123456789";
const login = { "auth.json": JSON.stringify({ auth_mode: "apikey", OPENAI_API_KEY: loginKey }) };
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
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]) {
    vi.stubEnv(name, url);
    vi.stubEnv(name.toLowerCase(), url);
  }
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
  ask(to, "chat", { ...requestFor("chat", { model: "codex" }), ...more });

const eventually = { timeout: 15_000, interval: 250 };

/** A provider of the home, whose key is in a variable. */
const keyed = (variable: string) => `model = "fake-model"
model_provider = "keyed"

[model_providers.keyed]
name = "Keyed"
base_url = "${provider.url}"
wire_api = "responses"
env_key = "${variable}"
`;

describe("a mistake in the config.toml of a home that is logged in", () => {
  it.each<[string, () => string, RegExp]>([
    ["a provider that is misspelled", () => configOf(provider.url).replace('"fake"', '"faek"'), /faek/],
    ["TOML that cannot be read", () => `${configOf(provider.url)}\n[model_providers.fake\n`, /config\.toml/],
  ])("is named at /ready and in every error, and nobody is asked until it is mended: %s", async (_, text, named) => {
    const home = codexHome(provider, { files: login });
    home.write("config.toml", text());
    const opened = await open({ home });
    const ready = await readiness(opened);
    expect(ready.status).toBe(503);
    expect(ready.text).toMatch(named);
    expect(ready.text).toContain(home.folder);
    const refused = await say(opened);
    expect(refused).toMatchObject({ status: 503, error: { code: "upstream_unavailable" } });
    expect(refused.error?.message).toMatch(named);
    expect(refused.error?.message).toContain("config.toml");
    expect([...heard, ...provider.requests]).toEqual([]);

    home.write("config.toml", configOf(provider.url));
    await vi.waitFor(async () => expect(await readiness(opened)).toMatchObject({ status: 200 }), eventually);
    expect((await say(opened)).text).toBe("Fine.");
    expect(heard).toEqual([]);
  });
});

describe("a key that the home wants in a variable", () => {
  it("is named where it is not set, and another model is asked where there is one", async () => {
    const home = codexHome(provider);
    home.write("config.toml", keyed("TOOLWIRE_TEST_UNSET"));
    const spare = { kind: "responses", base_url: other.url, api_key: "sk-spare-0123456789" };
    const { backends } = codexConfig(home);
    const opened = await open({
      home,
      config: {
        backends: { ...(isObject(backends) && backends), spare },
        models: { careful: { backend: "codex", model: "codex", fallback: ["spare/m"] } },
      },
    });
    expect(await readiness(opened)).toMatchObject({
      status: 503,
      text: expect.stringContaining("TOOLWIRE_TEST_UNSET"),
    });
    const refused = await say(opened);
    expect(refused).toMatchObject({ status: 503, error: { code: "upstream_unavailable" } });
    expect(refused.error?.message).toContain("TOOLWIRE_TEST_UNSET");
    expect(await say(opened, { model: "careful" })).toMatchObject({ status: 200, text: "From the other." });
    expect(provider.requests).toEqual([]);
  });

  it("may stand in .env of the home", async () => {
    const home = codexHome(provider, { files: { ".env": "TOOLWIRE_TEST_DOTENV='sk-dotenv-0123456789'\n" } });
    home.write("config.toml", keyed("TOOLWIRE_TEST_DOTENV"));
    const opened = await open({ home });
    expect(await readiness(opened)).toMatchObject({ status: 200 });
    expect((await say(opened)).text).toBe("Fine.");
    expect(provider.requests[0]?.headers.authorization).toBe("Bearer sk-dotenv-0123456789");
  });
});

describe("the keys of a home", () => {
  const keys = {
    token: "tk.first.0123456789",
    variable: "tk.second.0123456789",
    header: "tk.third.0123456789",
    dotenv: "tk.fourth.0123456789",
    login: "tk.fifth.0123456789",
  };
  const all = Object.values(keys);
  const secretive = (): CodexHome => {
    const home = codexHome(provider, {
      files: {
        "auth.json": JSON.stringify({ auth_mode: "apikey", OPENAI_API_KEY: keys.login }),
        ".env": `TOOLWIRE_TEST_DOTENV="${keys.dotenv}"\n`,
      },
    });
    const config = configOf(provider.url).replace(/^experimental_bearer_token.*$/m, "");
    home.write(
      "config.toml",
      `${config}experimental_bearer_token = "${keys.token}"
http_headers = { "x-extra" = "${keys.header}" }
env_http_headers = { "x-more" = "TOOLWIRE_TEST_DOTENV" }

[model_providers.second]
name = "Second"
base_url = "${provider.url}"
env_key = "TOOLWIRE_TEST_SECOND"
`,
    );
    return home;
  };

  it.each([400, 401])("reach neither the client nor the log when the provider quotes them (%s)", async (status) => {
    const message = `Refused: ${all.join(" and ")}.`;
    script = () => ({ status, body: { error: { message, type: "invalid_request_error", param: null, code: "no" } } });
    const home = secretive();
    const config = { ...codexConfig(home), telemetry: { redact: false }, log: { level: "debug" } };
    const program = startProgram(["--port", "0"], {
      files: { "toolwire.yaml": JSON.stringify(config) },
      environment: { TOOLWIRE_TEST_SECOND: keys.variable },
    });
    const line = await program.line(/listening on/);
    const at = { url: line.slice(line.indexOf("http")) };
    expect(await readiness(at)).toMatchObject({ status: 200 });
    for (const api of ["chat", "responses"] as const) {
      const answer = await ask(at, api, requestFor(api, { model: "codex" }));
      expect(answer.status).toBe(status);
      expect(answer.error?.message).toMatch(/^Refused: /);
      expect(all.filter((key) => answer.raw.includes(key))).toEqual([]);
    }
    program.child.kill("SIGTERM");
    const { stdout, stderr } = await program.finished;
    home.remove();
    expect(stderr).toContain("Refused: ");
    expect(all.filter((key) => `${stdout}${stderr}`.includes(key))).toEqual([]);
    const [asked] = provider.requests;
    expect(asked?.headers).toMatchObject({ authorization: `Bearer ${keys.token}`, "x-extra": keys.header });
    expect(asked?.headers["x-more"]).toBe(keys.dotenv);
  });
});

describe("what a home has switched on for Codex", () => {
  it("brings the model no tool and no word: its features", async () => {
    const features = ["deferred_executor", "multi_env_copy_file", "executor_capability_discovery_v2"];
    const more = `\n[features]\n${features.map((name) => `${name} = true`).join("\n")}`;
    const opened = await open({ more });
    const body = requestFor("chat", { model: "codex", tools, prompt: "Hello." });
    expect((await ask(opened, "chat", body)).text).toBe("Fine.");
    const asked = await onlyRequest(provider);
    expect(upstreamTools(asked)).toMatchObject(tools);
    expect(upstreamTools(asked)).toHaveLength(1);
    expect(upstreamMessages(asked)).toEqual([["user", "Hello."]]);
  });

  it("is kept without tools: models of its own", async () => {
    const home = codexHome(provider);
    const bundled = execFileSync(codexBinary, ["debug", "models", "--bundled"], {
      env: { ...process.env, CODEX_HOME: home.folder },
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 64 * 1024 * 1024,
    });
    const catalog = parseJson(bundled.toString("utf8"));
    const known = objectsOf(isObject(catalog) ? catalog.models : undefined).find(({ slug }) => slug === "gpt-6.1-sol");
    const own = {
      ...known,
      slug: "my-model",
      display_name: "Mine",
      default_reasoning_level: "high",
      visibility: "list",
    };
    home.write("models.json", JSON.stringify({ models: [own] }));
    const path = JSON.stringify(join(home.folder, "models.json"));
    home.write("config.toml", configOf(provider.url, `model_catalog_json = ${path}`));
    const opened = await open({ home });
    expect(await (await fetch(`${opened.url}/v1/models`)).text()).toContain('"codex/my-model"');
    const body = requestFor("chat", { model: "codex/my-model", tools, prompt: "Hello." });
    expect((await ask(opened, "chat", body)).text).toBe("Fine.");
    const asked = await onlyRequest(provider);
    expect(asked).toMatchObject({ model: "my-model", reasoning: { effort: "high" } });
    expect(upstreamTools(asked)).toMatchObject(tools);
    expect(upstreamTools(asked)).toHaveLength(1);
    expect(upstreamMessages(asked)).toEqual([["user", "Hello."]]);
  });
});

describe("how many words a model uses", () => {
  it("is its own affair unless the request says so", async () => {
    const opened = await open({});
    const model = "codex/gpt-5.5";
    await say(opened, { model });
    await say(opened, { model, verbosity: "low" });
    const texts = provider.requests.map(({ body }) => (isObject(body.text) ? body.text.verbosity : undefined));
    expect(texts).toEqual([undefined, "low"]);
  });
});

describe("a home that is changed while the gateway runs", () => {
  it("is taken up within seconds, and the turns that run end whole", async () => {
    const words = Array.from({ length: 100 }, (_, count) => `word-${count} `).join("");
    const opened = await open({});
    expect(await readiness(opened)).toMatchObject({ status: 200 });
    script = () => ({ say: words, chunk: 10, pieceDelay: 150 });
    const running = ask(opened, "responses", requestFor("responses", { model: "codex", stream: true }));
    await vi.waitFor(() => expect(provider.requests).toHaveLength(1), eventually);
    script = fine;
    opened.home.write("config.toml", configOf(other.url));
    await vi.waitFor(async () => expect((await say(opened)).text).toBe("From the other."), eventually);
    expect(provider.requests[0]?.closedEarly).toBe(false);
    expect(await running).toMatchObject({ status: 200, text: words, ended: "completed" });
  });
});
