import fc from "fast-check";
import { expect, it } from "vitest";
import { wellFormed } from "../../../src/backends/codex/well-formed.ts";

const half = fc.constantFrom("\ud83d", "\udc00", "\\", "\\ud83d", "\\\\", "😀", '"');
const text = fc
  .array(fc.oneof(half, fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 12 })
  .map((all) => all.join(""));

it("half a character becomes a whole one, and nothing else changes", () => {
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text))), (value) => {
      const json = wellFormed(JSON.stringify(value));
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value), (_, inner) => whole(inner)));
      expect(json).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/);
    }),
  );
});

function whole(value: unknown): unknown {
  if (typeof value === "string") return mended(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [mended(key), inner]));
}

/** Bytes have no half characters. */
function mended(text: string): string {
  return Buffer.from(text).toString();
}
