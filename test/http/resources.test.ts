import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { apiPrefixes } from "../../src/http/api-paths.ts";
import {
  anonymousOwner,
  type Item,
  isObject,
  type JsonObject,
  type KeptAnswer,
  parseJson,
} from "../../src/turn/index.ts";
import { KeptAnswers } from "../support/kept-answers.ts";
import { startWithAnswers } from "../support/stored-gateway.ts";

const demo = { backends: { demo: { kind: "demo", pace: "0ms" } }, default_model: "demo" };
const [mine, theirs] = ["a-key-of-many-letters", "another-key-of-many-letters"];
const ownerOf = (key: string) => createHash("sha256").update(key).digest("hex");

let open: Awaited<ReturnType<typeof startWithAnswers>>;
let keyed: Awaited<ReturnType<typeof startWithAnswers>>;
const answers = new KeptAnswers();

function stored(id: string, more: Partial<KeptAnswer> = {}): KeptAnswer {
  const object = id.startsWith("resp") ? "response" : "chat.completion";
  return {
    ...{ id, model: "m", status: "completed", createdAt: 1000, metadata: {}, legacy: false, size: 100 },
    body: { id, object, finish_reason: "stop" },
    output: [{ type: "message", role: "assistant", id: "msg_9", content: [{ type: "text", text: "Good day." }] }],
    ...more,
  };
}

beforeAll(async () => {
  open = await startWithAnswers(answers, demo);
  keyed = await startWithAnswers(answers, { ...demo, keys: [mine, theirs] });
});
afterAll(async () => {
  await open.close();
  await keyed.close();
});

interface Asked {
  method?: string;
  gateway?: { url: string };
  headers?: Record<string, string>;
  body?: string;
}

async function ask(path: string, { method = "GET", gateway = open, headers = {}, body }: Asked = {}) {
  const response = await fetch(`${gateway.url}${path}`, { method, headers, ...(body !== undefined && { body }) });
  const json = parseJson(await response.text());
  if (!isObject(json)) throw new Error("the body is no JSON object");
  return { status: response.status, headers: response.headers, json };
}

function expectError({ json, status }: { json: JsonObject; status: number }, expected: number, error: JsonObject) {
  expect(status).toBe(expected);
  expect(json).toMatchObject({ error });
  expect(Object.keys(isObject(json.error) ? json.error : {}).sort()).toEqual(["code", "message", "param", "type"]);
}

const json = { "content-type": "application/json" };

describe.each(apiPrefixes)("under the prefix %j", (prefix) => {
  it("a stored response is read, listed and deleted", async () => {
    const id = `resp_${prefix.length}`;
    answers.put(anonymousOwner, "responses", stored(id), [
      { type: "message", role: "user", id: "msg_1", content: [{ type: "text", text: "Hello" }] },
    ]);
    const path = `${prefix}/responses/${id}`;
    const read = await ask(path);
    expect(read).toMatchObject({ status: 200, json: { id, object: "response", metadata: {} } });
    expect(read.json.output).toMatchObject([{ id: "msg_9", content: [{ type: "output_text", text: "Good day." }] }]);
    expect(read.headers.get("content-type")).toContain("application/json");
    for (const end of ["", "/"])
      expect(await ask(`${path}/input_items${end}`)).toMatchObject({ status: 200, json: { first_id: "msg_1" } });
    expect(await ask(`${path}/`, { method: "DELETE" })).toMatchObject({
      status: 200,
      json: { id, object: "response", deleted: true },
    });
    const message = `Response with id '${id}' not found.`;
    for (const gone of [path, `${path}/input_items`]) expectError(await ask(gone), 404, { code: "not_found", message });
    expectError(await ask(path, { method: "DELETE" }), 404, { code: "not_found", message });
  });

  it("a stored completion is listed, read, changed and deleted", async () => {
    const id = `chatcmpl-${prefix.length}`;
    answers.put(anonymousOwner, "chat", stored(id, { metadata: { prefix } }));
    const path = `${prefix}/chat/completions`;
    const query = `?limit=1&model=m&${new URLSearchParams({ "metadata[prefix]": prefix })}`;
    expect((await ask(path + query)).json).toMatchObject({
      ...{ object: "list", first_id: id, last_id: id, has_more: false },
      data: [{ id, choices: [{ message: { content: "Good day." } }] }],
    });
    const body = JSON.stringify({ metadata: { colour: "blue" } });
    expect(await ask(`${path}/${id}/`, { method: "POST", headers: json, body })).toMatchObject({
      status: 200,
      json: { id, metadata: { colour: "blue" } },
    });
    expect((await ask(`${path}/${id}`)).json).toMatchObject({ metadata: { colour: "blue" } });
    expect((await ask(`${path}/${id}/messages`)).json).toMatchObject({ object: "list", data: [] });
    expect((await ask(`${path}/${id}`, { method: "DELETE" })).json).toEqual({
      ...{ object: "chat.completion.deleted", id, deleted: true },
    });
    expectError(await ask(`${path}/${id}/messages`), 404, { code: "not_found" });
    expectError(await ask(`${path}/${id}`, { method: "POST", headers: json, body }), 404, { code: "not_found" });
  });

  it.each([
    ["PUT", "/responses/resp_1", "GET, DELETE, OPTIONS"],
    ["POST", "/responses/resp_1", "GET, DELETE, OPTIONS"],
    ["DELETE", "/responses/resp_1/input_items/", "GET, OPTIONS"],
    ["DELETE", "/responses", "POST, OPTIONS"],
    ["GET", "/responses", "POST, OPTIONS"],
    ["DELETE", "/chat/completions", "GET, POST, OPTIONS"],
    ["PATCH", "/chat/completions/chatcmpl-1/", "GET, POST, DELETE, OPTIONS"],
    ["POST", "/chat/completions/chatcmpl-1/messages", "GET, OPTIONS"],
  ])("%s %s is told what works there", async (method, path, allow) => {
    const answer = await ask(prefix + path, { method });
    expectError(answer, 405, { code: "method_not_allowed" });
    expect(answer.headers.get("allow")).toBe(allow);
  });

  it.each(["/responses/resp_1/nothing", "/chat/completions/a/b/c", "/responses//input_items"])(
    "there is nothing at %s",
    async (path) => expectError(await ask(prefix + path, { method: "PUT" }), 404, { code: "not_found" }),
  );
});

describe("a stored answer", () => {
  it("is found by nobody but its owner, and others are told the same as of an unknown one", async () => {
    answers.put(ownerOf(mine), "responses", stored("resp_mine"));
    answers.put(ownerOf(mine), "chat", stored("chatcmpl-mine"));
    const as = (key: string, more: Asked = {}) => ({
      ...{ gateway: keyed, ...more },
      headers: { ...more.headers, authorization: `Bearer ${key}` },
    });
    for (const [path, method, body] of [
      ["/v1/responses/resp_mine", "GET"],
      ["/v1/responses/resp_mine/input_items", "GET"],
      ["/v1/chat/completions/chatcmpl-mine", "GET"],
      ["/v1/chat/completions/chatcmpl-mine", "POST", '{"metadata":{}}'],
      ["/v1/chat/completions/chatcmpl-mine/messages", "GET"],
      ["/v1/chat/completions/chatcmpl-mine", "DELETE"],
      ["/v1/responses/resp_mine", "DELETE"],
    ] as const) {
      const more: Asked = body === undefined ? { method } : { method, body, headers: json };
      const foreign = await ask(path, as(theirs, more));
      const unknown = await ask(path.replace("mine", "none"), as(theirs, more));
      expect([foreign.status, unknown.status]).toEqual([404, 404]);
      expect(JSON.stringify(foreign.json).replace("mine", "none")).toBe(JSON.stringify(unknown.json));
      expect((await ask(path, { gateway: keyed, ...more })).status).toBe(401);
      expect((await ask(path, as(mine, more))).status).toBe(200);
    }
    expect((await ask("/v1/chat/completions", as(theirs))).json).toMatchObject({ data: [] });
    expectError(await ask("/v1/chat/completions?after=chatcmpl-mine", as(theirs)), 400, { param: "after" });
  });

  it("may have any id", async () => {
    for (const id of ["resp_a b", "resp_a/b", "resp_%2F", "resp_ü", `resp_${"x".repeat(500)}`]) {
      answers.put(anonymousOwner, "responses", stored(id));
      expect((await ask(`/v1/responses/${encodeURIComponent(id)}`)).json).toMatchObject({ id });
    }
    const long = await ask(`/v1/responses/${"x".repeat(2000)}`);
    expect([400, 404]).toContain(long.status);
    expect(long.json).toHaveProperty("error.code");
  });

  it("is deleted whatever kind of body its client names, and whatever it sends", async () => {
    const bodies: Asked[] = [{ headers: json }, { headers: json, body: "" }, { headers: json, body: "{}" }];
    const others: Asked[] = [
      { headers: { "content-type": "text/plain" }, body: "hello" },
      { body: "x".repeat(100_000) },
    ];
    for (const each of [...bodies, ...others]) {
      answers.put(anonymousOwner, "responses", stored("resp_gone"));
      expect((await ask("/v1/responses/resp_gone", { method: "DELETE", ...each })).status).toBe(200);
    }
  });
});

describe("a request that cannot be answered", () => {
  beforeAll(() => {
    answers.put(anonymousOwner, "responses", stored("resp_x"));
    answers.put(anonymousOwner, "chat", stored("chatcmpl-x"));
  });

  it.each([
    ["/v1/responses/resp_x?stream=true", "stream", "unsupported_value"],
    ["/v1/responses/resp_x/input_items?limit=0", "limit", "unsupported_value"],
    ["/v1/responses/resp_x/input_items?order=up", "order", "unsupported_value"],
    ["/v1/responses/resp_x/input_items?after=msg_0", "after", "invalid_request"],
    ["/v1/responses/resp_x/input_items?before=msg_0", "before", "invalid_request"],
    ["/v1/chat/completions?limit=101", "limit", "unsupported_value"],
    ["/v1/chat/completions?after=chatcmpl-none", "after", "invalid_request"],
    [`/v1/chat/completions?metadata[a]=${"x".repeat(513)}`, "metadata.a", "string_above_max_length"],
    ["/v1/chat/completions/chatcmpl-x/messages?limit=x", "limit", "unsupported_value"],
    ["/v1/chat/completions/chatcmpl-x/messages?after=chatcmpl-x-7", "after", "invalid_request"],
  ])("GET %s is a 400 that names %s", async (path, param, code) => {
    expectError(await ask(path), 400, { param, code });
  });

  it.each(["/v1/responses/resp_none/input_items", "/v1/chat/completions/chatcmpl-none/messages"])(
    "GET %s is a 404 on every page",
    async (path) => {
      for (const query of ["", "?after=x", "?before=x", "?after=x&before=y"])
        expectError(await ask(path + query), 404, { code: "not_found" });
    },
  );

  it.each<[string, string, JsonObject]>([
    ["no metadata", "{}", { param: "metadata", code: "missing_required_parameter" }],
    ["metadata of a wrong kind", '{"metadata":7}', { param: "metadata", code: "invalid_request" }],
    ["a value of a wrong kind", '{"metadata":{"a":7}}', { param: "metadata.a", code: "invalid_request" }],
    ["no object", "[]", { code: "invalid_request" }],
    ["no JSON", "{", { code: "invalid_json" }],
    ["nothing", "", { code: "invalid_json" }],
  ])("an update with %s is a 400", async (_what, body, error) => {
    expectError(await ask("/v1/chat/completions/chatcmpl-x", { method: "POST", headers: json, body }), 400, error);
  });

  it("is none if metadata is null: then there is none any more", async () => {
    const update = { method: "POST", headers: json, body: '{"metadata":null}' };
    expect((await ask("/v1/chat/completions/chatcmpl-x", update)).json).toMatchObject({ metadata: {} });
  });

  it("has CORS headers for a page that may read it", async () => {
    const { headers } = await ask("/v1/responses/resp_none", { headers: { origin: "app://obsidian.md" } });
    expect(headers.get("access-control-allow-origin")).toBe("app://obsidian.md");
  });
});

it("a large stored answer is sent whole", async () => {
  const text = "é🌞".repeat(400_000);
  answers.put(anonymousOwner, "responses", {
    ...stored("resp_large"),
    output: [{ type: "message", role: "assistant", id: "msg_1", content: [{ type: "text", text }] }],
  });
  const { json: read } = await ask("/v1/responses/resp_large");
  expect(read).toMatchObject({ output: [{ content: [{ text }] }] });
});

describe("stored data that is read", () => {
  let tight: Awaited<ReturnType<typeof startWithAnswers>>;
  beforeAll(async () => {
    tight = await startWithAnswers(answers, demo);
    const large = { size: 1_000_000 };
    const input: Item[] = [{ type: "message", role: "user", id: "msg_1", content: [{ type: "text", text: "Hello" }] }];
    answers.put(anonymousOwner, "responses", stored("resp_held", large), input);
    answers.put(anonymousOwner, "chat", stored("chatcmpl-held", large), input);
  });
  afterAll(() => tight.close());

  it.each([
    ["GET", "/v1/responses/resp_held"],
    ["GET", "/v1/responses/resp_held/input_items"],
    ["GET", "/v1/chat/completions?limit=100"],
    ["GET", "/v1/chat/completions/chatcmpl-held"],
    ["GET", "/v1/chat/completions/chatcmpl-held/messages"],
    ["POST", "/v1/chat/completions/chatcmpl-held"],
  ])("needs memory of the budget: %s %s", async (method, path) => {
    const { memoryBudget: budget } = tight.gateway;
    const update = method === "POST" ? { headers: json, body: '{"metadata":{}}' } : {};
    const asked = { method, gateway: tight, ...update };
    expect((await ask(path, asked)).status).toBe(200);
    await vi.waitFor(() => expect(budget.held).toBe(0));
    expect(budget.take(budget.limit)).toBe(true);
    const refused = await ask(path, asked);
    budget.give(budget.limit);
    expectError(refused, 503, { code: "overloaded" });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await ask(path, asked)).status).toBe(200);
    await vi.waitFor(() => expect(budget.held).toBe(0));
  });
});
