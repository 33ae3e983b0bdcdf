import { describe, expect, it } from "vitest";
import { TextPieces } from "../../src/turn/index.ts";

describe("a text that arrives in pieces", () => {
  it("is whole, however many they are", () => {
    const text = new TextPieces();
    const characters = Array.from({ length: 5_000 }, (_, at) => String.fromCharCode(0x4e00 + at));
    for (const character of characters) text.add(character);
    expect(text.length).toBe(5_000);
    expect(text.take()).toBe(characters.join(""));
  });

  it("begins anew when it was taken", () => {
    const text = new TextPieces();
    text.add("one");
    text.take();
    expect(text.length).toBe(0);
    text.add("two");
    expect(text.take()).toBe("two");
    expect(text.take()).toBe("");
  });
});
