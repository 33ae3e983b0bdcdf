import { describe, expect, it } from "vitest";
import { chatQuirks } from "../../src/backends/chat/quirks.ts";
import { codexQuirks } from "../../src/backends/codex/quirks.ts";
import { ProviderQuirks } from "../../src/backends/provider-quirks.ts";
import { responsesQuirks } from "../../src/backends/responses/quirks.ts";
import { type Extensions, type Item, noQuirks, TurnError } from "../../src/turn/index.ts";

const quirksAt = (host: string) => {
  const provider = new ProviderQuirks(`https://${host}/v1`);
  return { chat: chatQuirks(provider), responses: responsesQuirks(provider) };
};
const { chat, responses } = quirksAt("api.example.com");
const kinds = [
  ["chat", chat],
  ["responses", responses],
  ["codex", codexQuirks],
] as const;

describe("the id of a call", () => {
  it.each([...kinds, ["plain", noQuirks] as const])("is kept where every service takes it (%s)", (_kind, quirks) => {
    expect(quirks.callIdFor("call_1", "m")).toBe("call_1");
    expect(quirks.callIdFor("odd:1", "m")).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(quirks.callIdFor("odd:1", "m")).toBe(quirks.callIdFor("odd:1", "m"));
    expect(quirks.callIdFor("odd:1", "m")).not.toBe(quirks.callIdFor("odd:2", "m"));
  });

  it.each(["chat", "responses"] as const)(
    "has nine letters and digits for Mistral's models and service (%s)",
    (kind) => {
      for (const [quirks, model] of [
        [quirksAt("api.mistral.ai")[kind], "m"],
        [quirksAt("api.example.com")[kind], "mistral-large-latest"],
      ] as const) {
        expect(quirks.takesCallId("call_1", model)).toBe(false);
        expect(quirks.callIdFor("call_1", model)).toMatch(/^[A-Za-z0-9]{9}$/);
        expect(quirks.callIdFor("abcDEF123", model)).toBe("abcDEF123");
      }
    },
  );
});

describe("a refusal of reasoning that cannot be decrypted", () => {
  const said = "The encrypted content gAAA\ncould not be verified.";
  it.each(kinds)("is known by its code, and by its words (%s)", (_kind, { refusesReasoning }) => {
    const upstreamCode = "invalid_encrypted_content";
    expect(refusesReasoning(new TurnError("upstream_rejected", "No.", { upstreamCode }))).toBe(true);
    expect(refusesReasoning(new TurnError("upstream_rejected", said, { upstreamCode: null }))).toBe(true);
    expect(refusesReasoning(new TurnError("upstream_rejected", "No.", {}))).toBe(false);
    expect(refusesReasoning(new TurnError("upstream_error", said, { upstreamCode }))).toBe(false);
  });
});

describe("what a chat provider wants back beside its calls", () => {
  const details = { reasoning_details: [{ data: "sealed" }] };
  const piece: Extensions = { format: "chat", fields: { ...details, images: [] } };
  const message = (fields = {}): Item => ({
    type: "message",
    role: "assistant",
    content: [],
    extensions: { format: "chat", fields },
  });

  it("is what it signs its reasoning with, and nothing else", () => {
    expect(chat.wantedFields(piece)).toEqual(details);
    expect(chat.wantedFields({ ...piece, fields: { images: [] } })).toBeUndefined();
    expect(chat.wantedFields({ ...piece, format: "responses" })).toBeUndefined();
    expect(responses.wantedFields(piece)).toBeUndefined();
  });

  it("is missing unless the client has brought it", () => {
    expect(chat.missingFields(details, [message()])).toEqual({ format: "chat", fields: details });
    expect(chat.missingFields(details, [message(details)])).toBeUndefined();
  });

  it("is what stood in the call, in its own format", () => {
    expect(chat.wantsExtensions({ format: "chat", fields: { extra_content: {} } })).toBe(true);
    expect(chat.wantsExtensions({ format: "responses", fields: {} })).toBe(false);
    expect(responses.wantsExtensions({ format: "responses", fields: {} })).toBe(false);
  });
});
