import { describe, expect, it } from "vitest";
import { parseProviderJson } from "../../src/backends/provider-json.ts";

const mb = 1024 * 1024;

describe("JSON of a provider", () => {
  it.each([
    ["brackets", "[".repeat(60 * mb), "nested too deeply"],
    ["brackets that are closed", `${"[".repeat(mb)}${"]".repeat(mb)}`, "nested too deeply"],
    ["a few brackets too many", `${"[".repeat(600)}${"]".repeat(600)}`, "nested too deeply"],
    ["empty lists", `[${"[],".repeat(10 * mb)}1]`, "too many values"],
    ["keys", `{${'"k":1,'.repeat(mb)}"k":1}`, "too many values"],
  ])("that is a bomb is an invalid answer, and is not parsed: %s", (_case, text, message) => {
    const before = process.memoryUsage().heapUsed;
    expect(() => parseProviderJson("p", text)).toThrow(
      expect.objectContaining({ code: "upstream_invalid", message: expect.stringContaining(message) }),
    );
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * mb);
  });

  it("may list the probabilities of many tokens", () => {
    const token = `{"token":"the","logprob":-0.1,"bytes":[116,104,101],"top_logprobs":[]}`;
    const text = `{"choices":[{"logprobs":{"content":[${Array.from({ length: 20_000 }, () => token).join(",")}]}}]}`;
    expect(parseProviderJson("p", text)).toMatchObject({ choices: [{ logprobs: expect.anything() }] });
  });
});
