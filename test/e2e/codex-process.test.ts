import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ask, paths, requestFor } from "../support/gateway.ts";
import { type Provider, type ProviderRequest, type Reply, type Script, startProvider } from "../support/provider.ts";
import {
  type CodexGateway,
  type CodexOptions,
  codexHome,
  configOf,
  readiness,
  startCodexGateway,
} from "./support/codex.ts";
import { codexProcesses, killCodex } from "./support/codex-processes.ts";
import { forms } from "./support/codex-trip.ts";

const fine: Reply = { say: "Fine." };
/** Half a sentence, and then nothing for ever. */
const hangs: Reply = { say: "Half a sentence and then more of it. ".repeat(500), chunk: 9, pieceDelay: 50 };
const silent = new Promise<Reply>(() => {});

let script: Script = () => fine;
let provider: Provider;
let open: CodexGateway[] = [];
beforeAll(async () => {
  provider = await startProvider((request) => script(request));
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.requests.length = 0;
  script = () => fine;
});
afterEach(async () => {
  await Promise.all(open.map((gateway) => gateway.close()));
  open = [];
});

async function start(options: CodexOptions = {}): Promise<CodexGateway> {
  const gateway = await startCodexGateway(provider, options);
  open.push(gateway);
  return gateway;
}

const say = (gateway: CodexGateway) => ask(gateway, "chat", requestFor("chat", { model: "codex" }));

/** The request that Codex has made at the provider. */
function asked(count = 1): Promise<ProviderRequest[]> {
  return vi.waitFor(() => {
    expect(provider.requests).toHaveLength(count);
    return provider.requests;
  }, 10_000);
}

describe("a client that leaves", () => {
  it.each(forms)("stops the model within a second (%s, %s)", async (api, _form, stream) => {
    const gateway = await start();
    for (const reply of [hangs, silent]) {
      provider.requests.length = 0;
      script = () => reply;
      const leaving = new AbortController();
      const gone = fetch(`${gateway.url}${paths[api]}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(requestFor(api, { model: "codex", stream })),
        signal: leaving.signal,
      })
        .then((response) => response.text())
        .catch(() => "gone");
      const [request] = await asked();
      await sleep(300);
      expect(request?.closedEarly).toBe(false);
      const left = performance.now();
      leaving.abort();
      expect(await gone).toBe("gone");
      const closedAt = await vi.waitFor(() => {
        expect(request?.closedAt).not.toBeNull();
        return Number(request?.closedAt);
      }, 5_000);
      expect(closedAt - left).toBeLessThan(1_000);
      expect(provider.requests).toHaveLength(1);
    }
    script = () => fine;
    expect((await say(gateway)).text).toBe("Fine.");
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).toMatch(/^toolwire_open_turns 0$/m);
  });
});

describe("a Codex that dies", () => {
  it("ends every turn in one legal way, and the next one works", async () => {
    const gateway = await start();
    expect((await say(gateway)).text).toBe("Fine.");
    provider.requests.length = 0;
    script = () => hangs;
    const turns = forms.map(([api, , stream]) => ask(gateway, api, requestFor(api, { model: "codex", stream })));
    await asked(forms.length);
    await sleep(500);
    const killed = performance.now();
    killCodex();
    const answers = await Promise.all(turns);
    expect(performance.now() - killed).toBeLessThan(3_000);
    for (const [index, answer] of answers.entries()) {
      const streamed = forms[index]?.[2] === true;
      expect(answer).toMatchObject({ ended: "failed", streamed });
      expect(answer.status).toBe(streamed ? 200 : 502);
      expect(answer.error?.code).toMatch(/^upstream_/);
      if (streamed) expect(answer.text).toMatch(/^Half a/);
    }
    script = () => fine;
    expect((await say(gateway)).text).toBe("Fine.");
    await vi.waitFor(async () => expect((await readiness(gateway)).status).toBe(200), 10_000);
  });

  it("is started again for a turn of which the client has seen nothing", async () => {
    const gateway = await start({ backend: { retries: 2 } });
    script = () => (provider.requests.length === 1 ? silent : fine);
    const turn = say(gateway);
    await asked();
    killCodex();
    expect(await turn).toMatchObject({ status: 200, text: "Fine." });
    expect(provider.requests).toHaveLength(2);
  });

  it("is started again when it died while nobody used it", async () => {
    // It may be asked before its end is known.
    const gateway = await start({ backend: { retries: 2 } });
    await say(gateway);
    for (let count = 0; count < 3; count++) {
      killCodex();
      await sleep(100);
      expect((await say(gateway)).text).toBe("Fine.");
    }
    await vi.waitFor(() => expect(codexProcesses().length).toBeLessThanOrEqual(2));
  });
});

describe("a gateway that closes", () => {
  it("ends Codex", async () => {
    const gateway = await start();
    await say(gateway);
    expect(codexProcesses().length).toBeGreaterThan(0);
    await gateway.close();
    open = [];
    await vi.waitFor(() => expect(codexProcesses()).toEqual([]), 2_000);
  });

  it("ends Codex in the middle of a turn too, and the turn", async () => {
    const gateway = await start({ config: { limits: { drain: "200ms" } } });
    script = () => hangs;
    const turn = ask(gateway, "responses", requestFor("responses", { model: "codex", stream: true }));
    await asked();
    await sleep(300);
    const begun = performance.now();
    await gateway.close();
    open = [];
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect(await turn).toMatchObject({ ended: "failed", error: { code: "shutting_down" } });
    await vi.waitFor(() => expect(codexProcesses()).toEqual([]), 2_000);
    await vi.waitFor(() => expect(provider.requests[0]?.closedEarly).toBe(true));
  });
});

describe("the folder for temporary files", () => {
  it("is left as it was, also where Codex died or could not be started", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolwire-temporary-"));
    vi.stubEnv("TMPDIR", folder);
    try {
      const gateway = await start({ backend: { retries: 2 } });
      await say(gateway);
      killCodex();
      await sleep(100);
      await say(gateway);
      await gateway.close();
      const absent = await start({ backend: { command: ["/nowhere/codex", "app-server"] } });
      await readiness(absent);
      await absent.close();
      open = [];
      await vi.waitFor(() => expect(readdirSync(folder)).toEqual([]), 2_000);
    } finally {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("a Codex that cannot be started", () => {
  it("is named with the command that installs it, where it is not there", async () => {
    const gateway = await start({ backend: { command: ["/nowhere/codex", "app-server"] } });
    const install = /npm (i|install) (-g|--global) @openai\/codex/;
    const ready = await readiness(gateway);
    expect(ready.status).toBe(503);
    expect(ready.text).toMatch(install);
    for (const stream of [true, false]) {
      const answer = await ask(gateway, "chat", requestFor("chat", { model: "codex", stream }));
      expect(answer.status).toBeGreaterThanOrEqual(502);
      expect(answer.error?.message).toMatch(install);
    }
  });

  it.each([
    ["ends at once", ["/bin/false"]],
    ["does not answer", ["/bin/sh", "-c", "exec sleep 60"]],
    ["is another program", ["/bin/sh", "-c", "echo Hello; echo '{}'; exec sleep 60"]],
  ])("is an error, soon, where it %s", async (_what, command) => {
    const gateway = await start({ backend: { command, timeouts: { connect: "500ms" } } });
    const begun = performance.now();
    const answer = await say(gateway);
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect(answer.status).toBeGreaterThanOrEqual(502);
    expect(answer.error?.message).toContain("codex");
    expect((await readiness(gateway)).status).toBe(503);
  });

  it("is ready as soon as it can be started", async () => {
    const home = codexHome(provider, { more: "model = " });
    const gateway = await start({ home });
    expect((await readiness(gateway)).status).toBe(503);
    home.write("config.toml", configOf(provider.url));
    await vi.waitFor(async () => expect((await readiness(gateway)).status).toBe(200), {
      timeout: 15_000,
      interval: 250,
    });
    expect((await say(gateway)).text).toBe("Fine.");
  });
});
