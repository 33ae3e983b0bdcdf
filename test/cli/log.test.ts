import { describe, expect, it, onTestFinished } from "vitest";
import { ask, requestFor } from "../support/gateway.ts";
import { startProvider } from "../support/provider.ts";
import { start } from "./program.ts";

const prompt = "My diary says that I love Ada.";
const message = `Your prompt "${prompt}" is refused.`;

/** What the program writes to its log about a turn that its provider refused in these words. */
async function logOf(redact: boolean): Promise<string> {
  const provider = await startProvider(() => ({
    status: 422,
    body: { error: { message, type: "invalid_request_error", param: null, code: "policy" } },
  }));
  onTestFinished(() => provider.close());
  const config = `
backends: { scripted: { base_url: "${provider.url}" } }
telemetry: { redact: ${redact} }`;
  const program = start(["--port", "0"], { files: { "toolwire.yaml": config } });
  const line = await program.line(/listening on/);
  const url = line.slice(line.indexOf("http"));
  const answer = await ask({ url }, "chat", requestFor("chat", { model: "scripted/m", prompt }));
  expect(answer.error?.message).toBe(message);
  program.child.kill("SIGTERM");
  return (await program.finished).stderr;
}

describe("the log of a turn that a provider refused", () => {
  it("says what it was, but not in the provider's words, which may quote a person's", async () => {
    const log = await logOf(true);
    expect(log).toMatch(/upstream_rejected/);
    expect(log).toMatch(/422/);
    expect(log).toMatch(/policy/);
    expect(log).not.toContain("Ada");
  });

  it("has the provider's words where redaction is off", async () => {
    expect(await logOf(false)).toContain("is refused");
  });
});
