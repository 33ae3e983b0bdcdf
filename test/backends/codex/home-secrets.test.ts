import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { missingVariable, readSecrets } from "../../../src/backends/codex/home-secrets.ts";
import type { JsonObject } from "../../../src/turn/index.ts";

const home = mkdtempSync(join(tmpdir(), "toolwire-secrets-"));
const write = (name: string, text: string) => writeFileSync(join(home, name), text);
beforeEach(() => {
  for (const name of ["auth.json", ".env"]) rmSync(join(home, name), { force: true });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const withProvider = (provider: JsonObject): JsonObject => ({
  model_provider: "mine",
  model_providers: { mine: { name: "Mine", ...provider } },
});

describe("what of a home must not be read outside", () => {
  it("is its login, however deep", async () => {
    const tokens = { id_token: "id-token-1", access_token: "access-token-1", refresh_token: "refresh-token-1" };
    write("auth.json", JSON.stringify({ OPENAI_API_KEY: "sk-login-1", tokens, last_refresh: null }));
    expect(await readSecrets(home, {}, {})).toEqual(
      expect.arrayContaining(["sk-login-1", "id-token-1", "access-token-1", "refresh-token-1"]),
    );
  });

  it.each<[string, JsonObject]>([
    ["a token", { experimental_bearer_token: "the-key-of-it" }],
    ["a variable", { env_key: "THE_KEY" }],
    ["a header", { http_headers: { "x-key": "the-key-of-it" } }],
    ["a header from a variable", { env_http_headers: { "x-key": "THE_KEY" } }],
  ])("is the key of a provider: %s", async (_, provider) => {
    expect(await readSecrets(home, withProvider(provider), { THE_KEY: "the-key-of-it" })).toEqual(["the-key-of-it"]);
  });

  it("is the key of a provider that is not the one in use", async () => {
    const config = { ...withProvider({ experimental_bearer_token: "another-key" }), model_provider: "openai" };
    expect(await readSecrets(home, config, {})).toEqual(["another-key"]);
  });

  it.each(["THE_KEY=the-key-of-it", "export THE_KEY='the-key-of-it'", ' THE_KEY = "the-key-of-it" '])(
    "is what .env says: %s",
    async (line) => {
      write(".env", `# mine\n${line}\n\n`);
      expect(await readSecrets(home, withProvider({ env_key: "THE_KEY" }), {})).toEqual(["the-key-of-it"]);
    },
  );

  it("is no short word, which would be taken out of every sentence", async () => {
    write("auth.json", JSON.stringify({ auth_mode: "apikey", OPENAI_API_KEY: "sk-login-1" }));
    expect(await readSecrets(home, withProvider({ http_headers: { "x-team": "blue" } }), {})).toEqual(["sk-login-1"]);
  });

  it("is nothing where there is nothing, or nothing that can be read", async () => {
    expect(await readSecrets(home, {}, {})).toEqual([]);
    write("auth.json", "{ this is no JSON");
    expect(await readSecrets(home, { model_providers: "none" }, {})).toEqual([]);
  });
});

describe("the variable of a provider's key", () => {
  const config = withProvider({ env_key: "THE_KEY" });

  it("is missing where nobody has set it, or to nothing", async () => {
    expect(await missingVariable(home, config, {})).toBe("THE_KEY");
    expect(await missingVariable(home, config, { THE_KEY: "" })).toBe("THE_KEY");
  });

  it("is there in the environment or in .env", async () => {
    expect(await missingVariable(home, config, { THE_KEY: "x" })).toBeUndefined();
    write(".env", "THE_KEY=x\n");
    expect(await missingVariable(home, config, {})).toBeUndefined();
  });

  it("is missed only by the provider in use", async () => {
    expect(await missingVariable(home, { ...config, model_provider: "openai" }, {})).toBeUndefined();
    expect(await missingVariable(home, withProvider({}), {})).toBeUndefined();
  });
});
