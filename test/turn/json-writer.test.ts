import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { finished, type JsonObject, writeJson } from "../../src/turn/index.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "é", "漢", "😀", "\ud83d", "\ude00", '"', "\\", "\n", "\u0001"),
  maxLength: 60,
});

describe("JSON that is written in steps", () => {
  it("is what JSON.stringify writes, whatever the size of a piece", () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, depthIdentifier: "value" },
        text,
        fc.constantFrom(null, true, 0, -1.5e300, undefined),
        fc.array(tie("value"), { maxLength: 6, depthIdentifier: "value" }),
        fc.dictionary(text, tie("value"), { maxKeys: 6, depthIdentifier: "value" }),
      ),
    }));
    const object = fc.dictionary(fc.string(), value, { maxKeys: 8 });
    fc.assert(
      fc.property(object, fc.integer({ min: 1, max: 80 }), (whole, piece) => {
        const written = finished(writeJson(whole as JsonObject, piece, 0));
        expect(written.toString()).toBe(JSON.stringify(whole));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is one string if it is small, and bytes in many steps if it is large", () => {
    expect(finished(writeJson({ a: 1 }))).toBe('{"a":1}');
    const large = {
      messages: Array.from({ length: 20_000 }, () => ({ role: "user", content: "hello there" })),
      text: "漢".repeat(500_000),
    };
    const steps = writeJson(large);
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    expect(count).toBeGreaterThan(20);
    expect(Buffer.from(JSON.stringify(large)).equals(Buffer.from(step.value))).toBe(true);
  });
});
