import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { startGateway } from "../support/gateway.ts";
import { type RawAnswer, RawAnswers } from "../support/raw-answers.ts";
import { connectTo } from "../support/raw-client.ts";

const demo = { backends: { demo: { kind: "demo", pace: "5ms" } }, default_model: "demo", limits: { body: "64kb" } };
const key = "a-key-of-many-letters";
const page = "http://localhost:5173";
const known = ["host: localhost", `origin: ${page}`];
const turn = JSON.stringify({ input: "hi" });
const json = ["content-type: application/json"];

let open: RunningServer;
let keyed: RunningServer;
beforeAll(async () => {
  open = await startGateway(demo);
  keyed = await startGateway({ ...demo, keys: [key] });
});
afterAll(() => Promise.all([open.close(), keyed.close()]));

function request(line: string, headers: readonly string[] = [], body = "", all = known): string {
  return `${[`${line} HTTP/1.1`, ...all, ...headers].join("\r\n")}\r\n\r\n${body}`;
}
const post = (headers: readonly string[], body = turn) => request("POST /v1/responses", [...json, ...headers], body);
const lengthOf = (text: string) => `content-length: ${text.length}`;
const health = request("GET /health");

/** An answer as `STATUS CODE`, after a look at everything that every error must have. */
function told(answer: RawAnswer | null, { head = false } = {}): string {
  if (answer === null) return "closed";
  const { status, headers, error } = answer;
  if (status < 400) return String(status);
  expect(headers["content-type"]).toMatch(/^application\/json/);
  if (head) return String(status);
  expect(error && Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
  return `${status} ${error?.code}`;
}

/** What a request that was read has in its answer, and bytes that are no request cannot have. */
function expectHeaders({ headers }: RawAnswer): void {
  expect(headers["x-request-id"]).toMatch(/^req_/);
  expect(headers["access-control-allow-origin"]).toBe(page);
}

type Row = [what: string, text: string | Buffer, answer: string, gateway?: () => RunningServer];

/** Sends the bytes, checks the one answer, and sends a good request after it. */
async function tryRow(text: string | Buffer, gateway: RunningServer) {
  const socket = connectTo(gateway);
  const answers = new RawAnswers(socket);
  socket.write(text);
  const head = text.toString().startsWith("HEAD");
  const answer = await answers.next({ head });
  const first = told(answer, { head });
  if (!socket.destroyed && socket.writable) socket.write(health);
  const after = await answers.next().then(
    (next) => told(next),
    (error) => String(error),
  );
  socket.destroy();
  return { answer, first, after };
}

describe("a request that is refused has the error body and all headers, and the connection goes on", () => {
  it.each<Row>([
    ["no Host", request("GET /health", [], "", ["x: y"]), "421 unknown_host"],
    ["no Host at an API", request("POST /v1/responses", [lengthOf(turn)], turn, ["x: y"]), "421 unknown_host"],
    ["an empty Host", request("GET /health", [], "", ["host:"]), "421 unknown_host"],
    ["two Hosts", request("GET /health", ["host: localhost"]), "421 unknown_host"],
    ["a complete URL of another host", request("GET http://evil.example/health"), "421 unknown_host"],
  ])("%s", async (_what, text, expected) => {
    const { answer, first, after } = await tryRow(text, open);
    expect([first, after]).toEqual([expected, "200"]);
    expect(answer?.headers["x-request-id"]).toMatch(/^req_/);
  });

  it.each<Row>([
    ["an unknown expectation", post(["expect: junk", lengthOf(turn)]), "417 expectation_failed"],
    ["an unknown expectation without a body", request("GET /health", ["expect: junk"]), "417 expectation_failed"],
    [
      "an unknown expectation without a key",
      post(["expect: junk", lengthOf(turn)]),
      "401 invalid_api_key",
      () => keyed,
    ],
    ["a path that cannot be decoded", request("GET /%zz"), "400 invalid_request"],
    ["such a path below an API", request("POST /v1/responses/%zz", [lengthOf(turn)], turn), "400 invalid_request"],
    ["such a path of a model", request("GET /v1/models/%c0%af"), "400 invalid_request"],
    ["such a path where keys are needed", request("GET /v1/models/%ff"), "400 invalid_request", () => keyed],
    ["no path", request("GET *"), "400 invalid_request"],
    ["another scheme", request("GET ftp://localhost/health"), "400 invalid_request"],
    [
      "PATCH without a content type",
      request("PATCH /v1/responses", ["content-length: 5"], "hello"),
      "405 method_not_allowed",
    ],
    [
      "PUT with a form",
      request("PUT /v1/models", ["content-type: text/xml", "content-length: 5"], "hello"),
      "405 method_not_allowed",
    ],
    ["DELETE with broken JSON", request("DELETE /nothing", [...json, "content-length: 5"], "hello"), "404 not_found"],
    ["TRACE", request("TRACE /v1/responses"), "405 method_not_allowed"],
    ["PROPFIND", request("PROPFIND /v1/chat/completions", ["content-length: 5"], "hello"), "405 method_not_allowed"],
    ["PROPFIND of a model", request("PROPFIND /openai/v1/models/demo"), "405 method_not_allowed"],
    ["QUERY", request("QUERY /v1/responses", ["content-length: 5"], "hello"), "405 method_not_allowed"],
    ["MKCOL of nothing", request("MKCOL /nothing", ["content-length: 5"], "hello"), "404 not_found"],
    ["HEAD of nothing", request("HEAD /nothing"), "404"],
    ["HEAD of an API", request("HEAD /v1/responses"), "405"],
    [
      "another protocol",
      request("GET /v1/responses", ["connection: upgrade", "upgrade: foo"]),
      "405 method_not_allowed",
    ],
    [
      "HTTP/2 on the same connection",
      request("GET /v1/nothing", ["connection: Upgrade, HTTP2-Settings", "upgrade: h2c"]),
      "404 not_found",
    ],
    ["a complete URL", request("GET http://localhost/v1/nothing"), "404 not_found"],
    ["a complete URL that needs a key", request("GET http://localhost/v1/models"), "401 invalid_api_key", () => keyed],
    [
      "a body of an unknown kind",
      request("POST /v1/responses", ["content-type: ;;;", lengthOf(turn)], turn),
      "415 unsupported_media_type",
    ],
  ])("%s", async (_what, text, expected, gateway = () => open) => {
    const { answer, first, after } = await tryRow(text, gateway());
    expect([first, after]).toEqual([expected, "200"]);
    if (answer) expectHeaders(answer);
    if (first.startsWith("405")) expect(answer?.headers.allow).toMatch(/GET|POST/);
  });

  it.each<Row>([
    ["a health check by a complete URL needs no key", request("GET http://localhost:80/health?x"), "200", () => keyed],
    ["a preflight of the whole server", request("OPTIONS *"), "204"],
    ["a preflight of a path that cannot be decoded", request("OPTIONS /%zz"), "204"],
    ["a query that cannot be decoded", request("GET /health?%zz"), "200"],
  ])("%s", async (_what, text, expected, gateway = () => open) => {
    const { first, after } = await tryRow(text, gateway());
    expect([first, after]).toEqual([expected, "200"]);
  });
});

describe("a request that cannot be read to its end has the error body, and the connection is closed", () => {
  it.each<Row>([
    ["a chunk without a size", post(["transfer-encoding: chunked"], "zz\r\nabc\r\n0\r\n\r\n"), "400 invalid_request"],
    [
      "a chunk with too much beside its size",
      post(["transfer-encoding: chunked"], `1;${"a".repeat(30_000)}\r\n{\r\n0\r\n\r\n`),
      "400 invalid_request",
    ],
    ["a proxy's request", request("CONNECT example.com:443"), "405 method_not_allowed"],
    ["a proxy's request for a path", request("CONNECT /v1/responses"), "405 method_not_allowed"],
    [
      "a body that is not awaited, without a key",
      post(["expect: 100-continue", lengthOf(turn)]),
      "401 invalid_api_key",
      () => keyed,
    ],
    [
      "a body that is not awaited, as nothing is there",
      request("POST /nothing", ["expect: 100-continue", lengthOf(turn)]),
      "404 not_found",
    ],
    [
      "a body that is not awaited, as it is too large",
      post(["expect: 100-continue", "content-length: 99999999"], ""),
      "413 body_too_large",
    ],
  ])("%s", async (_what, text, expected, gateway = () => open) => {
    const { answer, first, after } = await tryRow(text, gateway());
    expect([first, after]).toEqual([expected, "closed"]);
    if (answer) expectHeaders(answer);
  });
});

describe("bytes that are no request have the error body, and the connection is closed", () => {
  const chunked = "transfer-encoding: chunked";
  it.each<Row>([
    ["garbage", "GARBAGE\r\n\r\n", "400 invalid_request"],
    ["an unknown method", request("FOO /v1/responses"), "400 invalid_request"],
    ["a method in small letters", request("get /health"), "400 invalid_request"],
    ["a target without a slash", request("GET health"), "400 invalid_request"],
    ["no target", request("GET "), "400 invalid_request"],
    ["HTTP/2 without being asked", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", "400 invalid_request"],
    ["an unknown version", "GET /health HTTP/3.7\r\nhost: localhost\r\n\r\n", "400 invalid_request"],
    ["TLS", Buffer.from([0x16, 3, 1, 0, 0xa5, 1, 0, 0, 0xa1, 3, 3, 1, 2, 3]), "400 invalid_request"],
    ["two lengths", post([lengthOf(turn), "content-length: 3"]), "400 invalid_request"],
    ["a negative length", post(["content-length: -3"]), "400 invalid_request"],
    ["a length in hexadecimal", post(["content-length: 0x10"]), "400 invalid_request"],
    ["a length without end", post(["content-length: 99999999999999999999999"]), "400 invalid_request"],
    ["a list of lengths", post(["content-length: 14, 14"]), "400 invalid_request"],
    ["a length and chunks", post(["content-length: 14", chunked], "0\r\n\r\n"), "400 invalid_request"],
    ["chunks twice", post([chunked, chunked], "0\r\n\r\n"), "400 invalid_request"],
    ["chunks that are not the last encoding", post([`${chunked}, identity`], "0\r\n\r\n"), "400 invalid_request"],
    ["a space before the colon", post(["transfer-encoding : chunked"], "0\r\n\r\n"), "400 invalid_request"],
    ["a header on two lines", post(["transfer-encoding:", " chunked"], "0\r\n\r\n"), "400 invalid_request"],
    ["a header with a NUL", request("GET /health", ["x: a\0b"]), "400 invalid_request"],
    ["a header with a bare CR", request("GET /health", ["x: a\rb"]), "400 invalid_request"],
    ["lines without CR", "GET /health HTTP/1.1\nhost: localhost\n\n", "400 invalid_request"],
    ["headers over the limit", request("GET /health", [`x: ${"y".repeat(20_000)}`]), "431 headers_too_large"],
    ["a path over the limit", request(`GET /${"y".repeat(20_000)}`), "431 headers_too_large"],
  ])("%s", async (_what, text, expected) => {
    const { first, after } = await tryRow(text, open);
    expect([first, after]).toEqual([expected, "closed"]);
  });

  it("leave the gateway at work", async () => {
    expect((await fetch(`${open.url}/health`)).status).toBe(200);
  });
});

describe("100-continue", () => {
  it("is sent once the request may go on, and the body is read then", async () => {
    const socket = connectTo(keyed);
    const answers = new RawAnswers(socket);
    socket.write(post([`authorization: Bearer ${key}`, "expect: 100-Continue", lengthOf(turn)], ""));
    expect(told(await answers.next())).toBe("100");
    socket.write(turn);
    expect(told(await answers.next())).toBe("200");
    socket.destroy();
  });

  it("is nothing that HTTP/1.0 has", async () => {
    const socket = connectTo(open);
    const answers = new RawAnswers(socket);
    socket.write(post(["expect: 100-continue", lengthOf(turn)]).replace("HTTP/1.1", "HTTP/1.0"));
    expect(told(await answers.next())).toBe("200");
    socket.destroy();
  });
});

describe("answers come in the order of their requests", () => {
  const stream = JSON.stringify({ input: "hi", stream: true });

  it.each<Row>([
    ["garbage", "GARBAGE\r\n\r\n", "400 invalid_request"],
    ["headers over the limit", request("GET /health", [`x: ${"y".repeat(20_000)}`]), "431 headers_too_large"],
    ["a request without Host", request("GET /health", [], "", ["x: y"]), "421 unknown_host"],
    ["a path that cannot be decoded", request("GET /%zz"), "400 invalid_request"],
  ])("%s after a turn waits for the turn's whole answer", async (_what, text, expected) => {
    for (const body of [turn, stream]) {
      for (const pause of [0, 15]) {
        const socket = connectTo(open);
        const answers = new RawAnswers(socket);
        socket.write(pause === 0 ? post([lengthOf(body)], body) + text : post([lengthOf(body)], body));
        if (pause > 0) {
          await wait(pause);
          socket.write(text);
          socket.write(text);
        }
        const whole = await answers.next();
        expect(whole?.status).toBe(200);
        if (body === stream) expect(whole?.body).toContain("event: response.completed");
        expect(told(await answers.next())).toBe(expected);
        socket.destroy();
      }
    }
  });

  it("a good request after a refused one is answered", async () => {
    const socket = connectTo(open);
    const answers = new RawAnswers(socket);
    socket.write(request("GET /%zz") + post(["expect: junk", lengthOf(turn)]) + health);
    expect(told(await answers.next())).toBe("400 invalid_request");
    expect(told(await answers.next())).toBe("417 expectation_failed");
    expect(told(await answers.next())).toBe("200");
    socket.destroy();
  });
});
