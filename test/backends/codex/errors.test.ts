import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordingName } from "../../support/app-server/index.ts";
import { type CodexGateway, forms, patient, startCodex } from "./codex-gateway.ts";

interface Failure {
  play: RecordingName;
  status: number;
  code: RegExp;
  message?: RegExp;
}

/** What fails before the model has said anything. */
const failures: Record<string, Failure> = {
  "its key": { play: "d-e401-noretry", status: 401, code: /^upstream_rejected$/, message: /Incorrect API key/ },
  "a rate limit": { play: "d-e429-noretry", status: 429, code: /^upstream_rate_limited$/ },
  "a usage limit": {
    play: "d-e429u-noretry",
    ...{ status: 429, code: /^upstream_rate_limited$|quota/, message: /usage limit/ },
  },
  "a request that the provider refuses": {
    play: "d-e400-noretry",
    ...{ status: 400, code: /^invalid_function_parameters$/, message: /^Invalid schema for function$/ },
  },
  "a conversation that is too long": {
    play: "d-ctx-noretry",
    ...{ status: 400, code: /^context_length_exceeded$/, message: /context window/ },
  },
  "a provider that fails": { play: "d-e500-noretry", status: 502, code: /^upstream_error$/ },
  "a response that fails": { play: "d-failed-noretry", status: 502, code: /^upstream_(?:error|cut)$/ },
  "a provider that is not there": {
    play: "d-connrefused-noretry-unboundedoff",
    ...{ status: 502, code: /^upstream_unreachable$/ },
  },
};

let codex: CodexGateway;
beforeAll(async () => {
  const played = Object.entries(failures).map(([name, { play }]) => [name, { play }] as const);
  codex = await startCodex({
    turns: {
      ...Object.fromEntries(played),
      cut: { play: "d-cut-noretry" },
      again: { play: "d-cutonce-defaultretry" },
      incomplete: { play: "d-incomplete-noretry" },
      "no key, five times": { play: "l-noauth-401" },
    },
  });
});
afterAll(() => codex.close());

describe.each(forms)("a %s client (stream: %s)", (api, stream) => {
  it.each(Object.entries(failures))("is told as an HTTP error of %s", async (name, { status, code, message }) => {
    const { error, ...answer } = await codex.turn(api, { prompt: `[[${name}]]`, stream });
    expect(answer).toMatchObject({ status, streamed: false, ended: "failed" });
    expect(error?.code).toMatch(code);
    if (message) expect(error?.message).toMatch(message);
    // Where the provider lives is nobody's business.
    expect(answer.raw).not.toMatch(/127\.0\.0\.1|18080/);
    expect(error?.message).not.toMatch(/^\{/);
  });

  it("is told of the key also where Codex has tried it again by itself", async () => {
    const answer = await codex.turn(api, { prompt: "[[no key, five times]]", stream });
    expect(answer).toMatchObject({ status: 401, streamed: false });
    expect(answer.raw).not.toMatch(/Reconnecting|127\.0\.0\.1/);
  });

  it("is told that the answer was cut", async () => {
    const answer = await codex.turn(api, { prompt: "[[cut]]", stream });
    expect(answer).toMatchObject({ status: stream ? 200 : 502, ended: "failed", error: { code: "upstream_cut" } });
    if (stream) expect(answer.text).toBe("partial");
  });

  it("never gets two attempts as one answer", async () => {
    const answer = await codex.turn(api, { prompt: "[[again]]", stream });
    if (stream) expect(answer).toMatchObject({ text: "partial", ended: "failed", error: { code: "upstream_cut" } });
    else expect([[200, "second attempt"] as const, [502, ""] as const]).toContainEqual([answer.status, answer.text]);
  });

  it("gets what there is of an answer that ran into its limit", async () => {
    const answer = await codex.turn(api, { prompt: "[[incomplete]]", stream });
    expect(answer).toMatchObject({ status: 200, ended: "length", text: "cut off" });
    expect(answer.finish).toBe(api === "chat" ? "length" : "incomplete");
    // Codex says of it that its last response had cost nothing.
    expect(answer.usage?.input ?? 100).toBe(100);
  });
});

describe("a turn that has failed", () => {
  it("leaves no thread behind, and the next turn works", async () => {
    const starts = (await codex.scene.entries("start")).length;
    await codex.turn("chat", { prompt: "[[a provider that fails]]" });
    const threads = async (method: string) =>
      (await codex.scene.requests(method)).map(({ params }) => params?.threadId);
    const used = await threads("turn/start");
    await expect.poll(() => threads("thread/unsubscribe"), patient).toEqual(expect.arrayContaining(used));
    expect(await codex.turn("chat", { prompt: "[[incomplete]]" })).toMatchObject({ text: "cut off" });
    expect(await codex.scene.entries("start")).toHaveLength(starts);
  });
});
