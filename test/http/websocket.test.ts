import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { type JsonObject, type JsonValue, parseJson } from "../../src/turn/index.ts";
import { startGateway } from "../support/gateway.ts";

const demo = { backends: { demo: { kind: "demo", pace: "0ms" } }, default_model: "demo" };
const key = "a-key-of-many-letters";

let open: RunningServer;
let keyed: RunningServer;
beforeAll(async () => {
  open = await startGateway(demo);
  keyed = await startGateway({ ...demo, keys: [key] });
});
afterAll(async () => {
  await open.close();
  await keyed.close();
});

interface Asked {
  gateway?: RunningServer;
  method?: string;
  upgrade?: string;
  headers?: Record<string, string>;
  body?: JsonObject;
}

interface Heard {
  status: number;
  headers: IncomingHttpHeaders;
  json: JsonValue | undefined;
}

/** Asks for another protocol on the connection, as `fetch` does not. */
function ask(path: string, { gateway = open, method = "GET", upgrade = "websocket", headers, body }: Asked = {}) {
  const handshake = { "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
  const type = body && { "content-type": "application/json" };
  const all = { connection: "Upgrade", upgrade, ...handshake, ...type, ...headers };
  return new Promise<Heard>((resolve, reject) => {
    const request = httpRequest(`${gateway.url}${path}`, { method, headers: all }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () => {
        const json = parseJson(Buffer.concat(pieces).toString("utf8"));
        resolve({ status: response.statusCode ?? 0, headers: response.headers, json });
      });
    });
    request.on("upgrade", () => reject(new Error("The protocol was changed.")));
    request.on("error", reject);
    request.end(body && JSON.stringify(body));
  });
}

describe.each(["/v1/responses", "/responses", "/openai/v1/responses"])("a WebSocket at %s", (path) => {
  it.each(["websocket", "WebSocket"])("is refused so that a client goes on without it (%s)", async (upgrade) => {
    const { status, headers, json } = await ask(path, { upgrade });
    expect(status).toBe(426);
    expect(headers.upgrade).toBe("HTTP/1.1");
    expect(json).toMatchObject({ error: { code: "websocket_unavailable", message: expect.stringContaining("POST") } });
  });

  it.each([
    ["GET", "h2c"],
    ["DELETE", "websocket"],
    ["DELETE", "h2c"],
    ["PUT", "websocket"],
  ])("is not what %s with %s asks for", async (method, upgrade) => {
    const { status, headers, json } = await ask(path, { method, upgrade });
    expect(status).toBe(405);
    expect(headers.allow).toContain("POST");
    expect(json).toMatchObject({ error: { code: "method_not_allowed" } });
  });

  it("may be offered with a request that is sent by POST, which is answered", async () => {
    const heard = await ask(path, { method: "POST", body: { model: "demo", input: "hello" } });
    expect(heard).toMatchObject({ status: 200, json: { object: "response", status: "completed" } });
  });

  it("needs a key like everything there", async () => {
    expect((await ask(path, { gateway: keyed })).status).toBe(401);
    const headers = { authorization: `Bearer ${key}` };
    expect((await ask(path, { gateway: keyed, headers })).status).toBe(426);
  });
});

describe("a WebSocket", () => {
  it.each([
    ["/health", 200],
    ["/v1/models", 200],
    ["/v1/chat/completions", 200],
    ["/v1/responses/resp_1", 404],
    ["/v1/nowhere", 404],
  ])("at %s changes nothing", async (path, status) => {
    expect((await ask(path)).status).toBe(status);
  });

  it("is not spoken of where nobody asks for one", async () => {
    const response = await fetch(`${open.url}/v1/responses`);
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toContain("POST");
    expect(response.headers.get("upgrade")).toBeNull();
  });
});
