import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createConfig, createGateway, type Gateway } from "../../src/gateway/index.ts";
import { createKeyring, type Keyring } from "../../src/guard/index.ts";
import { createApp } from "../../src/http/app.ts";
import { isObject } from "../../src/turn/index.ts";
import { storedKey } from "../support/stored-key.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server whose gateway has this keyring. */
async function start(keyring: Keyring): Promise<string> {
  const backends = { demo: { kind: "demo", pace: "0ms" } };
  const gateway: Gateway = await createGateway(
    createConfig({ backends, log: { level: "silent" }, store: { url: "memory:" }, default_model: "demo" }),
  );
  Object.defineProperty(gateway, "keyring", { value: keyring });
  const { server } = createApp(gateway);
  await server.listen({ host: "127.0.0.1", port: 0 });
  closing.push(
    () => server.close(),
    () => gateway.close(),
  );
  const { port } = server.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

async function ask(url: string, key?: string, model = "demo") {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
  });
  const body: unknown = await response.json();
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  return { ...error, status: response.status, headers: response.headers };
}

describe("a client with a key of the store", () => {
  it("gets an answer, at the key's rate and from the key's models", async () => {
    const keyring = createKeyring([], { hasStore: true, storedRate: { requests: 600, per: 60_000 } });
    keyring.setStored([storedKey("ann", { models: ["demo"], rate: { requests: 2, per: 60_000 } }), storedKey("bob")]);
    const url = await start(keyring);
    const answer = await ask(url, "tw-ann");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-ratelimit-limit-requests")).toBe("2");
    expect(await ask(url, "tw-ann", "demo/hermes-json")).toMatchObject({ status: 403, code: "model_not_allowed" });
    expect(await ask(url, "tw-ann")).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    const other = await ask(url, "tw-bob");
    expect(other.headers.get("x-ratelimit-limit-requests")).toBe("600");
  });

  it.each([
    [{ revokedAt: 1 }, "This key was revoked."],
    [{ expiresAt: 1 }, "This key has expired."],
    [{ hash: "" }, "This key is not known here: it is neither in Toolwire's configuration nor in its store."],
  ])("is refused if the key is %j", async (own, message) => {
    const keyring = createKeyring([], { hasStore: true });
    keyring.setStored([storedKey("ann", own)]);
    expect(await ask(await start(keyring), "tw-ann")).toMatchObject({ status: 401, code: "invalid_api_key", message });
  });

  it("is told to come back while the keys of the store are not known yet", async () => {
    const keyring = createKeyring([{ name: "file", key: "tw-file" }], { hasStore: true });
    const url = await start(keyring);
    const refused = await ask(url, "tw-ann");
    expect(refused).toMatchObject({ status: 503, message: expect.stringMatching(/^Toolwire cannot read the keys/) });
    expect(refused.headers.get("retry-after")).toBe("3");
    expect((await ask(url, "tw-file")).status).toBe(200);
    expect((await ask(url)).status).toBe(401);
  });

  it("needs no key once the store was found to have none", async () => {
    const keyring = createKeyring([], { hasStore: true });
    const url = await start(keyring);
    expect((await ask(url)).status).toBe(503);
    keyring.setStored([]);
    expect((await ask(url)).status).toBe(200);
  });
});
