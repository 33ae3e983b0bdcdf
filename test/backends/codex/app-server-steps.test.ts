import { afterEach, describe, expect, it } from "vitest";
import { readRecording, repeatRecording } from "../../support/app-server/client.ts";
import { createScene, type RecordingName, type Scene, type Step } from "../../support/app-server/index.ts";
import { missingFields, outline, withoutAnswers } from "../../support/app-server/likeness.ts";

const sentinel = [
  "I will look. ",
  "<to",
  "ol_",
  "call>",
  '{"name":"get_wea',
  'ther","argum',
  'ents":{"city":"Pa',
  'ris"}}',
];
const paris = { id: "call_p1", name: "get_weather", arguments: { city: "Paris" } };
const rome = { id: "call_p2", name: "get_weather", arguments: { city: "Rome" } };
const said: Step[] = [{ say: ["Tool ", "said: ", '"ok"'] }, { usage: true }];
const cut = { message: "stream disconnected before completion: Transport error" };
const unauthorized = { message: "unexpected status 401", info: { httpConnectionFailed: { httpStatusCode: 401 } } };
const disconnected = (httpStatusCode: number | null): Step => ({
  retry: { message: "Reconnecting... 1/5", info: { responseStreamDisconnected: { httpStatusCode } }, details: "" },
});
const full = { usedPercent: 100, windowDurationMins: 300, resetsAt: null };
const nothing = { totalTokens: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningOutputTokens: 0 };
const noCost: Step = usageOf({ ...nothing, cacheWriteInputTokens: 0 });
const command = { type: "commandExecution", id: "call_sh1", command: "echo", cwd: "/work", source: "agent" };
const action = { commandActions: [{ type: "unknown", command: "echo" }], aggregatedOutput: null, exitCode: null };
const approval = {
  kind: "command",
  itemId: "call_sh1",
  command: "echo",
  cwd: "/work",
  availableDecisions: ["accept", "cancel"],
};

/** The turns of the recordings in the words of a scene: what a test tells of its own is then as true as what was recorded. */
const turns: Partial<Record<RecordingName, Step[]>> = {
  "a-plain": [
    { think: ["Thinking", " about i", "t briefl", "y"] },
    { say: ["Hel", "lo", " wor", "ld", "."] },
    { usage: true },
  ],
  "b-toolcall-text-split": [{ say: [...sentinel, "</tool", "_call", ">", " trailing tail text"] }, { usage: true }],
  "c-interrupt-midstream": [{ say: ["w0 ", "w1 ", "w2 ", "w3 ", "w4 "], open: true }, { hang: true }],
  "c2-interrupt-immediately": [{ hang: true }],
  "d-connrefused-noretry-unboundedoff": [
    { fail: { message: "Connection failed", info: { httpConnectionFailed: { httpStatusCode: null } } } },
  ],
  "d-ctx-noretry": [
    { limits: true },
    noCost,
    { limits: true },
    { fail: { message: "no room", info: "contextWindowExceeded" } },
  ],
  "d-cut-noretry": [{ say: ["par", "tial"], open: true }, { limits: true }, { fail: cut }],
  "d-cutonce-defaultretry": [
    { say: ["par", "tial"], open: true },
    { limits: true },
    disconnected(null),
    { say: ["second ", "attempt"] },
    { usage: true },
  ],
  "d-e400-noretry": [{ fail: { message: '{"error":{}}' } }],
  "d-e401-noretry": [{ fail: unauthorized }],
  "d-e429-noretry": [
    { fail: { message: "too many", info: { responseTooManyFailedAttempts: { httpStatusCode: 429 } } } },
  ],
  "d-e429u-noretry": [
    { notify: { method: "account/rateLimits/updated", params: { rateLimits: { limitId: "codex", primary: full } } } },
    { fail: { message: "usage limit", info: "usageLimitExceeded" } },
  ],
  "d-e500-noretry": [{ fail: { message: "high demand", info: "internalServerError" } }],
  "d-failed-noretry": [{ limits: true }, { fail: cut }],
  "d-incomplete-noretry": [
    { say: "cut off" },
    noCost,
    { limits: true },
    { fail: { message: "Incomplete response returned, reason: max_output_tokens" } },
  ],
  "e1-dynamic-roundtrip": [
    { say: "Let me check.", phase: "commentary" },
    { calls: [{ ...paris, id: "call_abc1" }] },
    ...said,
  ],
  "e2-dynamic-parallel": [{ calls: [paris, rome] }, ...said],
  "e6-unknown-tool": [{ calls: [{ name: "no_such_tool", unknown: true }] }, ...said],
  "e11-rawevents-pending-usage": [{ calls: [paris, rome] }],
  "e12-stateless-replay-full-loop": said,
  "k5-approval-command": [
    { notify: { method: "thread/status/changed", params: { status: { type: "active", activeFlags: ["waiting"] } } } },
    { item: { ...command, ...action, status: "inProgress" }, stage: "started" },
    { ask: { method: "item/commandExecution/requestApproval", params: { ...approval, ...action } } },
    { item: { ...command, ...action, status: "declined" }, stage: "completed" },
    { notify: { method: "thread/status/changed", params: { status: { type: "active", activeFlags: [] } } } },
    { usage: true },
    ...said,
  ],
  "k9-stable-only-sentinel": [{ say: [...sentinel, "</tool", "_call", ">"], open: true }, { hang: true }],
  "l-noauth-401": [...Array<Step>(5).fill(disconnected(401)), { fail: unauthorized }],
};

let scene: Scene;
afterEach(() => scene.dispose());

describe("a turn that a scene tells in steps", () => {
  it.each(Object.entries(turns))("is told to the client as the real one was: %s", async (name, steps) => {
    const recording = await readRecording(name as RecordingName);
    scene = await createScene({ turns: [steps] });
    const { heard } = await repeatRecording(scene.command, recording);
    const spoken = recording.filter(({ from }) => from === "server").map(({ msg }) => msg);
    expect(withoutAnswers(outline(heard, recording))).toEqual(withoutAnswers(outline(spoken, recording)));
    const told = heard.filter(({ method }) => method !== undefined);
    const real = spoken.filter(({ method }) => method !== undefined);
    expect(real.flatMap((msg, index) => missingFields(msg, told[index], `${index}`))).toEqual([]);
  });
});

function usageOf(last: Record<string, number>): Step {
  const tokenUsage = { total: last, last, modelContextWindow: 1_000 };
  return { notify: { method: "thread/tokenUsage/updated", params: { tokenUsage } } };
}
