import { describe, expect, it } from "vitest";
import { readMessage, tooManyDrafts } from "../../src/dialects/index.ts";
import { type Attack, allUnits, attacksWith, readAttack, textOf } from "./attacks.ts";

const attacks = allUnits().flatMap(attacksWith);
/** A small allowance is used up early, so that what comes after it is seen in short texts. */
const rereads = 1000;
const stingy = attacks.map((attack) => ({ ...attack, options: { ...attack.options, rereads } }));

describe("what a model writes again and again", () => {
  it("is read a bounded number of times, however long it is", () => {
    for (const attack of stingy) {
      const size = 4000;
      const { work } = readAttack(attack, textOf(attack, size), 16_384);
      expect(work / size, attack.name).toBeLessThan(16);
    }
  }, 120_000);

  it("is read as often in pieces as whole", () => {
    for (const attack of stingy.filter((_, index) => index % 16 === 0)) {
      const text = textOf(attack, 2000);
      const { work } = readAttack(attack, text, text.length);
      expect(readAttack(attack, text, 1).work, attack.name).toBe(work);
      expect(readAttack(attack, text, 7).work, attack.name).toBe(work);
    }
  }, 120_000);

  it("takes time that grows with its length and no faster, at 8, 16, 32 and 64 KB", () => {
    // Parts of calls, which are read farthest; each is tried in one of the places.
    const parts = attacks.filter(({ unit }, index) => unit.length > 24 && index % 89 === 0);
    for (const attack of parts) expect(growth(attack), attack.name).toBeLessThan(limit);
  }, 120_000);
});

/** Of four times the text. A quadratic reader takes sixteen times as long; a busy machine may double a time. */
const limit = 11;
/** Milliseconds of CPU below which a time says nothing. */
const noise = 30;

/** The least that four times the text took in several runs, as a multiple. */
function growth(attack: Attack): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 4 && least >= limit; run++) {
    const [first = 0, second = 0, third = 0, fourth = 0] = [8, 16, 32, 64].map(
      (size) => readAttack(attack, textOf(attack, size * 1024), 16_384).time,
    );
    least = Math.min(least, Math.max(ratio(third, first), ratio(fourth, second)));
  }
  return least;
}

function ratio(time: number, before: number): number {
  return time < noise ? 0 : time / Math.max(before, 1);
}

const parameters = { type: "object", properties: { query: { type: "string" }, list: { type: "array" } } };
const tools = [{ name: "find", parameters }];
const real = '<tool_call>{"name": "find", "arguments": {"query": "x"}}</tool_call>';

/** Each call would take all that follows as its value, up to a parameter that no call may have. */
const loop = `${"<tool_call><function=find><parameter=query></tool_call>\n".repeat(600)}</parameter><parameter=__proto__>\n`;

describe("a model that loops in its reasoning", () => {
  it("still ends its reasoning, and calls its tool", () => {
    const { reasoning, calls, text } = readMessage(`<think>${loop}</think>\n${real}`, { tools });
    expect(reasoning).toBe(loop.trimEnd());
    expect(calls).toMatchObject([{ name: "find", arguments: '{"query":"x"}' }]);
    expect(text).toBe("");
  });

  it("is reported once, although drafts are not", () => {
    const { rejected } = readMessage(`<think>${loop}</think>ok`, { tools });
    expect(rejected).toMatchObject([{ reason: tooManyDrafts, name: undefined }]);
  });
});

describe("a model that writes failed calls in a loop", () => {
  it("shows them as text, and a call after them counts", () => {
    const { calls, rejected, text } = readMessage(`${loop}Now:\n${real}`, { tools, patience: Infinity });
    expect(text).toBe(`${loop}Now:\n`);
    expect(calls).toMatchObject([{ name: "find" }]);
    expect(rejected.map(({ reason }) => reason)).toContain("too much before it looked like calls");
  });
});

describe("long arguments", () => {
  const repeated = (count: number) =>
    `<tool_call>\n<function=find>\n${"<parameter=list>\n1\n</parameter>\n".repeat(count)}</function>\n</tool_call>`;

  it("of a repeated parameter are a list", () => {
    const { calls } = readMessage(repeated(5000), { tools, patience: Infinity });
    expect(JSON.parse(calls[0]?.arguments ?? "")).toEqual({ list: Array(5000).fill("1") });
  });

  it("keep the other parameters of a repeated one, and their order", () => {
    const one = (key: string, value: string) => `<parameter=${key}>\n${value}\n</parameter>\n`;
    const text = `<function=find>\n${one("query", "a")}${one("list", "[1, 2]")}${one("query", "b")}${one("x", "c")}${one("query", "d")}</function>`;
    for (const patience of [Infinity, 512]) {
      const { calls, repairs } = readMessage(text, { tools, patience });
      expect(calls[0]?.arguments).toBe('{"list":[1, 2],"x":"c","query":["a","b","d"]}');
      expect(repairs.map(({ repair }) => repair)).toEqual(["repeated_parameter", "repeated_parameter"]);
    }
  });
});

describe("time", () => {
  const cases: [string, (size: number) => string, object][] = [
    ["line breaks in reasoning", (size) => `<think>${"\n".repeat(size)}.</think>`, {}],
    ["line breaks within reasoning", (size) => `<think>a${"\n".repeat(size)}.</think>`, {}],
    ["white space before markers", (size) => `${" ".repeat(size)}${"</tool_call>".repeat(size / 12)}`, {}],
    ["code in reasoning between drafts", (size) => `<think>${"`x` <tool_call> ".repeat(size / 16)}`, {}],
    [
      "repeated parameters",
      (size) => `<function=find>${"<parameter=list>\n1\n</parameter>".repeat(size / 32)}</function>`,
      { patience: Infinity },
    ],
    [
      "unescaped quotes",
      (size) => `<tool_call>{"name": "find", "arguments": {"query": "a${'" b'.repeat(size / 3)}`,
      { patience: Infinity },
    ],
    [
      "white space in a value",
      (size) => `<use_tool><name>find</name><query>a${" ".repeat(size)}</query></use_tool>`,
      {},
    ],
  ];

  it.each(cases)("is linear in the length of %s", (_, make, more) => {
    const time = (size: number) => {
      const text = make(size);
      const pieces = Array.from({ length: Math.ceil(text.length / 40) }, (_value, at) =>
        text.slice(at * 40, at * 40 + 40),
      );
      const before = process.cpuUsage();
      readMessage(text, { tools, ...more });
      readMessage(pieces, { tools, ...more });
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    let least = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 4 && least >= limit; run++) least = Math.min(least, ratio(time(160_000), time(40_000)));
    expect(least).toBeLessThan(limit);
  });

  it("does not explode with the choices of a schema", () => {
    const choices = Array(50).fill({ $ref: "#/$defs/any" });
    const endless = {
      type: "object",
      properties: { query: { $ref: "#/$defs/any" } },
      $defs: { any: { anyOf: choices } },
    };
    const text = "<function=find>\n<parameter=query>\n1\n</parameter>\n</function>";
    const { calls } = readMessage(text, { tools: [{ name: "find", parameters: endless }] });
    expect(calls).toHaveLength(1);
  });
});
