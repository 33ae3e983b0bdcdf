import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/turn/index.ts";
import type { Step } from "../../support/app-server/index.ts";
import { type CodexGateway, forms, patient, startCodex } from "./codex-gateway.ts";

/** What the program may ask its client for, of all that it can ask. */
const requests: Record<string, JsonObject> = {
  "item/commandExecution/requestApproval": {
    itemId: "call_1",
    command: "echo",
    availableDecisions: ["accept", "cancel"],
  },
  "item/fileChange/requestApproval": { itemId: "call_1", grantRoot: "/" },
  "item/permissions/requestApproval": { itemId: "call_1", permissions: { network: { enabled: true } } },
  "item/tool/requestUserInput": { itemId: "call_1", questions: [{ id: "q", header: "Q", question: "Which?" }] },
  "mcpServer/elicitation/request": { serverName: "files", message: "May I?", mode: "form", requestedSchema: {} },
  "account/chatgptAuthTokens/refresh": { reason: "unauthorized" },
  "attestation/generate": {},
  execCommandApproval: { conversationId: "c", callId: "call_1", command: ["echo"], cwd: "/" },
  applyPatchApproval: { conversationId: "c", callId: "call_1", fileChanges: {} },
  "some/request/of/tomorrow": { what: "ever" },
};

/** Items of work that Codex does on the machine it runs on. */
const works: Record<string, JsonObject> = {
  commandExecution: { command: "echo", cwd: "/", status: "inProgress" },
  fileChange: { changes: [], status: "inProgress" },
  mcpToolCall: { server: "files", tool: "read", arguments: {}, status: "inProgress" },
  webSearch: { query: "weather" },
};

const asks = (method: string): Step[] => [{ ask: { method, params: requests[method] ?? {} } }, { say: "On we go." }];
const does = (type: string): Step[] => [
  { item: { type, ...works[type] }, stage: "started" },
  { wait: 50 },
  { say: "I have looked around." },
];

let codex: CodexGateway;
beforeAll(async () => {
  codex = await startCodex({
    turns: {
      ...Object.fromEntries(Object.keys(requests).map((method) => [method, asks(method)])),
      ...Object.fromEntries(Object.keys(works).map((type) => [type, does(type)])),
      approval: { play: "k5-approval-command" },
      plain: { play: "a-plain" },
    },
  });
});
afterAll(() => codex.close());

describe("a request of Codex's to its client", () => {
  it.each(Object.keys(requests))("is not granted, and the turn comes to an end: %s", async (method) => {
    const before = (await codex.scene.entries("reply")).length;
    const answer = await codex.turn("chat", { prompt: `[[${method}]]`, stream: true });
    expect(["completed", "failed"]).toContain(answer.ended);
    const [reply] = (await codex.scene.untilEntries("reply", before + 1)).slice(before);
    expect(reply?.method).toBe(method);
    expect(JSON.stringify(reply?.result ?? {})).not.toMatch(/accept|approved|allow|grant|true/i);
  });

  it("is declined in the recorded case", async () => {
    const before = (await codex.scene.entries("reply")).length;
    expect(await codex.turn("responses", { prompt: "[[approval]]" })).toMatchObject({ status: 502 });
    const replies = (await codex.scene.untilEntries("reply", before + 1)).slice(before);
    expect(replies).toMatchObject([{ result: { decision: expect.stringMatching(/^(?:decline|cancel)$/) } }]);
  });
});

describe.each(forms)("for a %s client (stream: %s)", (api, stream) => {
  it.each(Object.keys(works))("a turn fails in which Codex works by itself: %s", async (type) => {
    const turns = (await codex.scene.requests("turn/start")).length;
    const answer = await codex.turn(api, { prompt: `[[${type}]]`, stream });
    expect(answer).toMatchObject({ status: 502, ended: "failed", text: "", error: { type: "server_error" } });
    const [started] = (await codex.scene.requests("turn/start")).slice(turns);
    const stopped = async () => (await codex.scene.requests("turn/interrupt")).map(({ params }) => params?.threadId);
    await expect.poll(stopped, patient).toContain(started?.params?.threadId);
  });

  it("the next turn works", async () => {
    expect(await codex.turn(api, { prompt: "[[plain]]", stream })).toMatchObject({ text: "Hello world." });
  });
});
