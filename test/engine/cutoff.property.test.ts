import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { orderItems } from "../../src/engine/settle/index.ts";
import { keepChoice } from "../../src/engine/stages/choice.ts";
import { Cutoff } from "../../src/engine/stages/cutoff.ts";
import { recoverCalls } from "../../src/engine/stages/recover.ts";
import { line } from "../../src/engine/stages/stage.ts";
import { keepStrict } from "../../src/engine/stages/strict.ts";
import { ArgumentChecks } from "../../src/tools/index.ts";
import { isTerminal, type ToolChoice, type Turn } from "../../src/turn/index.ts";
import { cutAt, places } from "../dialects/pieces.ts";

const listener = {};

const parameters = { type: "object", properties: { at: { type: "string" } }, required: ["at"] };

function turnWith(choice: ToolChoice, parallelToolCalls: boolean | undefined, stream: boolean): Turn {
  return {
    ...{ api: "chat", model: "m", stream, input: [], choice, settings: { parallelToolCalls }, parameters: {} },
    tools: [
      { type: "function", name: "look", parameters, strict: true },
      { type: "function", name: "go", parameters },
    ],
  };
}

/** What a client has of the answer, in the end. */
function hear(turn: Turn, pieces: readonly string[], reason: "stop" | "length") {
  const heard = { text: "", behind: "", calls: [] as string[], end: "" };
  let open = "";
  const cutoff = new Cutoff(turn, listener, !turn.stream);
  const stages = [
    cutoff.noticeEnd,
    recoverCalls(turn, { dialects: "auto", repair: true, prompted: true }, listener),
    cutoff.stage,
    keepChoice(turn, listener),
    orderItems(listener),
    keepStrict(turn, new ArgumentChecks(turn.tools), listener),
  ].filter((stage) => stage !== undefined);
  const emit = line(stages, (event) => {
    if (heard.end !== "") return;
    if (event.type === "text.delta") heard[heard.calls.length > 0 ? "behind" : "text"] += event.text;
    if (event.type === "call.started") open = `${event.name} `;
    if (event.type === "call.arguments") open += event.delta;
    if (event.type === "call.done") heard.calls.push(open);
    if (isTerminal(event)) heard.end = event.type === "round.finished" ? event.reason : "failed";
  });
  for (const text of pieces) if (heard.end === "") emit({ type: "text.delta", text });
  if (heard.end === "") emit({ type: "round.finished", reason });
  return heard;
}

const block = (name: string, values: object) =>
  `<tool_call>${JSON.stringify({ name, arguments: JSON.stringify(values) })}</tool_call>`;
const parts = fc.constantFrom(
  block("look", { at: "sea" }),
  block("go", { at: "sea" }),
  block("go", { at: 5 }),
  block("look", { at: 5 }),
  block("nowhere", {}),
  "<tool_call>{bad</tool_call>",
  "<tool_call>",
  block("go", { at: "the sea, and over the sea to where the sun goes down ".repeat(3) }).slice(0, -20),
  "\n",
  " and then ",
  "I see the sea, and the sea is blue, and the sky is blue as well, as far as I can see from here. ",
  "<think>Hm.</think>",
  "```\n",
);
const choices = fc.constantFrom<ToolChoice>(
  { mode: "auto" },
  { mode: "required" },
  { mode: "forced", tool: { kind: "function", name: "look" } },
  { mode: "allowed", required: false, tools: [{ kind: "function", name: "go" }], others: [] },
);
const settings = fc.record({
  text: fc.array(parts, { maxLength: 7 }).map((some) => some.join("")),
  choice: choices,
  parallel: fc.constantFrom(undefined, false),
  reason: fc.constantFrom("stop" as const, "length" as const),
});

describe("an answer of a backend without tools", () => {
  it("gives the same calls and the same end however it is cut", () => {
    fc.assert(
      fc.property(settings, places, ({ text, choice, parallel, reason }, cuts) => {
        const turn = turnWith(choice, parallel, true);
        const whole = hear(turn, [text], reason);
        expect(hear(turn, cutAt(text, cuts), reason)).toEqual(whole);
        expect(hear(turn, text.split(""), reason)).toEqual(whole);
      }),
      { numRuns: 2_000 },
    );
  });

  it("gives the same when it comes whole as when it streams", () => {
    fc.assert(
      fc.property(settings, ({ text, choice, parallel, reason }) => {
        // A stream does not wait for more than 512 characters of arguments, so a longer call that turns out to be broken differs.
        fc.pre(text.length <= 512);
        const streamed = hear(turnWith(choice, parallel, true), text.split(""), reason);
        expect(hear(turnWith(choice, parallel, false), [text], reason)).toEqual(streamed);
      }),
      { numRuns: 2_000 },
    );
  });

  it("has nothing behind its first call but calls", () => {
    fc.assert(
      fc.property(settings, ({ text, choice, parallel, reason }) => {
        const { calls, behind } = hear(turnWith(choice, parallel, true), [text], reason);
        expect(behind).toBe("");
        if (parallel === false || choice.mode === "forced") expect(calls.length).toBeLessThanOrEqual(1);
      }),
    );
  });
});

it("fields that belong to no item pass behind a call: they are no words of the model", () => {
  const turn = turnWith({ mode: "auto" }, undefined, false);
  const cutoff = new Cutoff(turn, listener, true);
  const out: string[] = [];
  const emit = line([cutoff.noticeEnd, cutoff.stage], ({ type }) => out.push(type));
  emit({ type: "call.started", call: 0, kind: "function", name: "go" });
  emit({ type: "call.done", call: 0 });
  emit({ type: "message.extra", extensions: { format: "chat", fields: { audio: { id: "a" } } } });
  emit({ type: "round.finished", reason: "stop" });
  expect(out).toEqual(["call.started", "call.done", "message.extra", "round.finished"]);
});
