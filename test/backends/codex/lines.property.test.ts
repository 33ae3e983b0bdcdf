import fc from "fast-check";
import { expect, it } from "vitest";
import { Lines } from "../../../src/backends/codex/lines.ts";

it("lines come out whole, however the pipe cuts them", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => `${text.replaceAll("\n", " ")}x`);
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        const heard: string[] = [];
        const reader = new Lines((text) => heard.push(text));
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = cuts[turn % cuts.length] ?? 1;
          reader.feed(bytes.subarray(at, at + size));
          at += size;
        }
        expect(heard).toEqual(lines);
      },
    ),
  );
});
