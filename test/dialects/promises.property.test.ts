import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ReadMessage, readMessage } from "../../src/dialects/index.ts";
import { forms } from "../../src/dialects/known/index.ts";
import { type AnyCall, anyCalls, options, traitsOf } from "./any-calls.ts";
import { cutAt, cutsInTwo, places, units } from "./pieces.ts";

const runs = 25;

/** What may stand around calls; none of it is a call, and what of it a person sees is `shown`. */
const around = [
  { text: "", shown: "" },
  { text: "Let me look that up.\n", shown: "Let me look that up.\n" },
  { text: "日本 🚀 é\n\n", shown: "日本 🚀 é\n\n" },
  { text: "if (a < b) { x[0] = '<tool_ca'; }\n", shown: "if (a < b) { x[0] = '<tool_ca'; }\n" },
  { text: "Write `<tool_call>` first.\n", shown: "Write `<tool_call>` first.\n" },
  { text: "An unclosed ` tick.\n", shown: "An unclosed ` tick.\n" },
  {
    text: '```xml\n<tool_call>{"name": "find", "arguments": {}}</tool_call>\n```\n',
    shown: '```xml\n<tool_call>{"name": "find", "arguments": {}}</tool_call>\n```\n',
  },
  { text: "Say <tool_call> and then its name.\n", shown: "Say <tool_call> and then its name.\n" },
  {
    text: '<tool_call>{"name": "nobody", "arguments": {}}</tool_call>\n',
    shown: '<tool_call>{"name": "nobody", "arguments": {}}</tool_call>\n',
  },
  { text: "<think>\nI could <tool_call>\n</think>\n", shown: "" },
  { text: '<think>{"name": "find"}</think>\n\n', shown: "" },
];

/** Every form, though several have one name. */
const named = forms.map((form, index) => [`${form.name} (${index})`, form] as const);

describe.each(named)("%s", (_, dialect) => {
  const traits = traitsOf(dialect.name);
  const surroundings = fc.constantFrom(...(traits.standsAlone || dialect.atStart ? around.slice(0, 1) : around));
  const message = fc.tuple(surroundings, anyCalls(traits), surroundings).map(([before, calls, after]) => ({
    calls,
    text: before.text + dialect.write(calls) + (after.text === "" ? "" : `\n${traits.hasNoEnd ? "" : after.text}`),
    shown: before.shown + (traits.hasNoEnd ? "" : after.shown),
  }));

  it("is read as it was written, however it is cut, with nothing lost", () => {
    fc.assert(
      fc.property(message, places, ({ calls, text, shown }, cuts) => {
        const whole = readMessage(text, options(dialect));
        expect(madeOf(whole)).toBe(text);
        expect(asValues(whole)).toEqual(calls.map(asValue));
        expect(bare(whole.text)).toBe(bare(shown));
        for (const pieces of [units(text), cutAt(text, cuts)]) {
          expect(JSON.stringify(readMessage(pieces, options(dialect)))).toBe(JSON.stringify(whole));
        }
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  it("is the same whichever two pieces it comes in", () => {
    fc.assert(
      fc.property(message, ({ text }) => {
        fc.pre(text.length < 600);
        const whole = JSON.stringify(readMessage(text, options(dialect)));
        for (const pieces of cutsInTwo(text)) {
          if (JSON.stringify(readMessage(pieces, options(dialect))) !== whole)
            expect(pieces).toBe("read as the whole is");
        }
      }),
      { numRuns: 2, endOnFailure: true, maxSkipsPerRun: 1000 },
    );
  });

  it("gives long arguments as they come, and the same calls", () => {
    fc.assert(
      fc.property(message, fc.constantFrom(0, 1, 7), ({ calls, text }, patience) => {
        const settings = { ...options(dialect), patience };
        const whole = readMessage(text, settings);
        expect(madeOf(whole)).toBe(text);
        expect(asValues(whole)).toEqual(calls.map(asValue));
        expect(JSON.stringify(readMessage(units(text), settings))).toBe(JSON.stringify(whole));
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });

  it("never gives a call that was cut off", () => {
    fc.assert(
      fc.property(
        message,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(0, 512),
        ({ calls, text }, place, patience) => {
          const part = text.slice(0, Math.floor(place * text.length));
          const read = readMessage(part, { ...options(dialect), patience }, "cut");
          expect(madeOf(read)).toBe(part);
          const whole = read.calls.filter(({ isWhole }) => isWhole);
          expect(whole.map((call) => asValue(call))).toEqual(calls.slice(0, whole.length).map(asValue));
          expect(readMessage(units(part), { ...options(dialect), patience }, "cut")).toEqual(read);
        },
      ),
      { numRuns: runs, endOnFailure: true },
    );
  });

  it("is text where no tool of that name is declared, and where no tool is", () => {
    fc.assert(
      fc.property(anyCalls(traits), (calls) => {
        const text = dialect.write(calls);
        const read = readMessage(text, { ...options(dialect), tools: ["other"] });
        expect(madeOf(read)).toBe(text);
        expect(read.calls).toEqual([]);
      }),
      { numRuns: runs, endOnFailure: true },
    );
  });
});

function madeOf({ spans }: ReadMessage): string {
  return spans.map(({ text }) => text).join("");
}

function asValues({ calls }: ReadMessage): unknown[] {
  expect(calls.every(({ isWhole }) => isWhole)).toBe(true);
  return calls.map(asValue);
}

function asValue({ name, arguments: text }: Pick<AnyCall, "name" | "arguments">): unknown {
  return { name, arguments: JSON.parse(text) };
}

function bare(text: string): string {
  return text.replaceAll(/\s/g, "");
}
