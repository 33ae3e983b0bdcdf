import { afterEach, describe, expect, it, vi } from "vitest";
import { run } from "../cli/program.ts";
import { ask, requestFor } from "../support/gateway.ts";
import { type CodexGateway, codexConfig, codexHome, readiness, startCodexGateway } from "./support/codex.ts";
import { forms } from "./support/codex-trip.ts";

const login = /codex\S* login\b/;
const loggedIn = JSON.stringify({ auth_mode: "apikey", OPENAI_API_KEY: "sk-x" });

let gateway: CodexGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

describe("a home that is not logged in", () => {
  it("is told at /ready and in every error, with the command that logs in", async () => {
    gateway = await startCodexGateway(null);
    const ready = await readiness(gateway);
    expect(ready.status).toBe(503);
    expect(ready.text).toMatch(login);
    // A person may have more than one home.
    expect(ready.text).toContain(gateway.home.folder);
    for (const [api, , stream] of forms) {
      const begun = performance.now();
      const answer = await ask(gateway, api, requestFor(api, { model: "codex/gpt-5.5", stream }));
      expect([401, 502, 503]).toContain(answer.status);
      expect(answer.error?.message).toMatch(login);
      expect(performance.now() - begun).toBeLessThan(3_000);
    }
  });

  it("is ready once somebody has logged in, without a restart of the gateway", async () => {
    gateway = await startCodexGateway(null);
    expect((await readiness(gateway)).status).toBe(503);
    gateway.home.write("auth.json", loggedIn);
    const { url } = gateway;
    await vi.waitFor(async () => expect(await readiness({ url })).toMatchObject({ status: 200 }), {
      timeout: 15_000,
      interval: 250,
    });
  });

  it("is told by toolwire check", async () => {
    const home = codexHome(null);
    const files = { "toolwire.yaml": JSON.stringify(codexConfig(home)) };
    const { stdout, stderr } = await run(["check"], { files });
    home.remove();
    expect(stdout + stderr).toMatch(login);
  });
});

describe("a home whose provider wants no login of Codex's", () => {
  it("is ready as it is", async () => {
    gateway = await startCodexGateway({ url: "http://127.0.0.1:9/v1" });
    expect(await readiness(gateway)).toMatchObject({ status: 200 });
  });
});
