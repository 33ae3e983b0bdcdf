import { describe, expect, it } from "vitest";
import { digestOfRequest, joinConversation } from "../../src/gateway/conversation.ts";
import { ItemTexts } from "../../src/gateway/item-texts.ts";
import { finished, type Item, type Part, paced } from "../../src/turn/index.ts";
import { turnsDuring } from "../support/time-growth.ts";

const says = (...content: Part[]): Item => ({ type: "message", role: "user", content });
const text = (words: string): Part => ({ type: "text", text: words });
const image = (url: string): Part => ({ type: "image", detail: "low", url });
const audio = (data: string): Part => ({
  type: "opaque",
  format: "chat",
  fields: { type: "input_audio", input_audio: { data } },
});

const join = (history: Item[], brought: Item[]) => finished(joinConversation(history, brought, new ItemTexts()));
const digest = (...items: Item[]) => finished(digestOfRequest(items, new ItemTexts()));

describe("a long message that a client sends again", () => {
  const long = "0123456789abcdef".repeat(256 * 1024);
  const file = (data: string): Part => ({ type: "file", name: "a.pdf", data });

  it.each([
    ["a text", text],
    ["an image", image],
    ["a file", file],
    ["a recording", audio],
  ])("with %s is recognized, and does not hold the event loop", async (_, part) => {
    const history = [says(part(long))];
    const brought = [says(part(`${long.slice(0, -1)}f`)), says(text("More"))];
    const turns = await turnsDuring(async () => {
      const { input } = await paced(joinConversation(history, brought, new ItemTexts()));
      expect(input).toHaveLength(2);
    });
    expect(turns).toBeGreaterThan(20);
    const [first] = history;
    expect(join(history, [says(part(`${long.slice(0, -1)}e`)), says(text("More"))]).input).toHaveLength(3);
    expect(
      await turnsDuring(async () => paced(digestOfRequest(first ? [first] : [], new ItemTexts()))),
    ).toBeGreaterThan(10);
  });
});

describe("two requests say the same", () => {
  it("if they differ in nothing but ids and space at the ends", () => {
    const shown = says(text("  "), text(" Look: "), image("data:a"), text("\n"));
    expect(digest(shown)).toBe(digest({ ...says(text("Look: "), image("data:a")), id: "msg_1" } as Item));
    expect(digest(shown)).not.toBe(digest(says(text("Look:"), image("data:a"))));
    expect(digest(shown)).not.toBe(digest(says(text("Look: "), image("data:b"))));
    expect(digest(says(text(" ")))).toBe(digest(says()));
  });

  it("only if they answer the same call", () => {
    const answers = (callId: string): Item => ({ type: "output", kind: "function", callId, output: "21 degrees" });
    expect(digest(answers("call_1"))).toBe(digest(answers("call_1")));
    expect(digest(answers("call_1"))).not.toBe(digest(answers("call_2")));
  });
});

describe("a history that repeats itself", () => {
  it("is joined in linear time", async () => {
    const history = Array.from({ length: 4_000 }, () => says(text("a")));
    const changed = [says(text("c")), ...Array.from({ length: 4_000 }, () => says(text("a")))];
    const turns = await turnsDuring(async () => paced(joinConversation(history, changed, new ItemTexts())));
    expect(turns).toBeLessThan(50_000);
  });

  it("is joined with the longest part that both have", () => {
    const of = (words: string) => [...words].map((word) => says(text(word)));
    const shown = ({ input }: { input: Item[] }) =>
      input
        .map((item) => (item.type === "message" && item.content[0]?.type === "text" ? item.content[0].text : ""))
        .join("");
    for (const [history, brought, input] of [
      ["abab", "ababx", "ababx"],
      ["abab", "abx", "ababx"],
      ["aab", "aabx", "aabx"],
      ["aaab", "aabx", "aaabx"],
      ["ab", "x", "abx"],
      ["abc", "bcx", "abcx"],
    ] as const)
      expect([history, brought, shown(join(of(history), of(brought)))]).toEqual([history, brought, input]);
  });
});
