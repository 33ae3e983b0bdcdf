import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { start } from "../cli/program.ts";
import { ask, requestFor } from "../support/gateway.ts";
import { type Provider, type Script, startProvider } from "../support/provider.ts";
import { type CodexHome, codexConfig, codexHome, oldCodexBinary, readiness } from "./support/codex.ts";
import { forms, sentinel, textModel, weatherTrip } from "./support/codex-trip.ts";
import { toolNames } from "./support/codex-upstream.ts";
import { answer, cities } from "./support/script.ts";

const command = [process.execPath, oldCodexBinary, "app-server"];
const inCities = cities.map((city) => ({ name: "get_weather", arguments: JSON.stringify({ city }) }));

/** What this version offers its model whatever it is told; nothing of it touches the machine. */
const harmless = new Set(["update_plan", "request_user_input"]);
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let script: Script = textModel;
let provider: Provider;
let home: CodexHome;
beforeAll(async () => {
  provider = await startProvider((request) => script(request));
  home = codexHome(provider);
});
afterAll(async () => {
  home.remove();
  await provider.close();
});
beforeEach(() => {
  provider.requests.length = 0;
  script = textModel;
});

/** The gateway as people start it, so that its log can be read. */
async function startProgram() {
  const config = { listen: { port: 0 }, ...codexConfig(home, { command, tools: "native" }) };
  const program = start([], { files: { "toolwire.yaml": JSON.stringify(config) } });
  // Otherwise it would be killed, and leave its temporary files.
  onTestFinished(async () => {
    program.child.kill("SIGTERM");
    await program.finished;
  });
  const line = await program.line(/listening on/);
  return { program, url: line.slice(line.indexOf("http")) };
}

describe("an older Codex, which takes no tools of a client's", () => {
  it("has them in its prompt instead, on both APIs, and the log and /ready say so", { timeout: 60_000 }, async () => {
    const { program, url } = await startProgram();
    for (const [api, , stream] of forms) {
      provider.requests.length = 0;
      const [first, last] = await weatherTrip(url, api, "codex", stream);
      expect(first).toMatchObject({ calls: inCities });
      expect(last).toMatchObject({ text: answer, calls: [] });
      expect(provider.requests).toHaveLength(2);
      for (const { body } of provider.requests) {
        expect(toolNames(body).filter((name) => !harmless.has(name))).toEqual([]);
        expect(JSON.stringify(body)).toContain("# CLIENT TOOL CATALOG");
      }
    }
    const ready = await readiness({ url });
    expect(ready.status).toBe(200);
    expect(ready.text).toMatch(/prompt/);
    expect(ready.text).toContain("0.120.0");
    program.child.kill("SIGTERM");
    const { code, stderr } = await program.finished;
    expect(code).toBe(0);
    const warnings = stderr.split("\n").filter((entry) => entry.includes('"level":"warn"'));
    expect(warnings).toEqual([expect.stringMatching(/0\.120\.0.*prompt/)]);
  });

  it("is cut off when it goes on after its call", { timeout: 60_000 }, async () => {
    const { url } = await startProgram();
    script = ({ body }) =>
      JSON.stringify(body).includes("[function_call_output call_id=")
        ? { say: "Done." }
        : { say: `${sentinel("Köln")}\n${"It is 45 degrees. ".repeat(400)}`, chunk: 9, pieceDelay: 20 };
    const [first, last] = await weatherTrip(url, "responses", "codex", true);
    expect(first).toMatchObject({ calls: inCities.slice(0, 1), text: "" });
    expect(last).toMatchObject({ text: "Done.", calls: [] });
    expect(provider.requests[0]?.closedEarly).toBe(true);
  });

  it("shows its model no file of this machine", { timeout: 60_000 }, async () => {
    const { url } = await startProgram();
    const picture = join(home.folder, "secret.png");
    writeFileSync(picture, Buffer.from(pixel, "base64"));
    script = ({ body }) =>
      JSON.stringify(body.input).includes("function_call_output")
        ? { say: "I have seen it." }
        : { calls: [{ name: "view_image", arguments: JSON.stringify({ path: picture }) }] };
    // To end a turn that goes wrong is a race, which is lost now and then.
    const body = requestFor("chat", { model: "codex", stream: true });
    await Promise.all(Array.from({ length: 20 }, () => ask({ url }, "chat", body, {}, { usageUnknown: true })));
    await sleep(500);
    expect(provider.requests.length).toBeGreaterThanOrEqual(20);
    expect(JSON.stringify(provider.requests.map(({ body }) => body))).not.toContain(pixel.slice(0, 40));
  });
});
