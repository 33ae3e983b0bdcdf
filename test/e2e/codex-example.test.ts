import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { start } from "../cli/program.ts";
import { type Provider, startProvider } from "../support/provider.ts";
import { type CodexHome, codexBinary, codexHome, readiness } from "./support/codex.ts";
import { textModel, weatherTrip } from "./support/codex-trip.ts";
import { answer, script } from "./support/script.ts";

const example = fileURLToPath(new URL("../../examples/codex/toolwire.yaml", import.meta.url));

let provider: Provider;
let home: CodexHome;
/** A person's home, with `codex` on the PATH and its own home in the usual place. */
let person: string;
beforeAll(async () => {
  provider = await startProvider((request) =>
    JSON.stringify(request.body).includes("# CLIENT TOOL CATALOG") ? textModel(request) : script(request),
  );
  home = codexHome(provider);
  person = mkdtempSync(join(tmpdir(), "toolwire-person-"));
  mkdirSync(join(person, "bin"));
  mkdirSync(join(person, ".codex"));
  symlinkSync(codexBinary, join(person, "bin", "codex"));
  copyFileSync(join(home.folder, "config.toml"), join(person, ".codex", "config.toml"));
});
afterAll(async () => {
  home.remove();
  rmSync(person, { recursive: true, force: true, maxRetries: 10 });
  await provider.close();
});

const surroundings = (more: Record<string, string> = {}) => ({
  environment: {
    HOME: person,
    PATH: `${join(person, "bin")}:${dirname(process.execPath)}:${process.env.PATH}`,
    ...more,
  },
});

async function serve(args: string[], more?: Record<string, string>) {
  const program = start([...args, "--port", "0"], surroundings(more));
  onTestFinished(async () => {
    program.child.kill("SIGTERM");
    await program.finished;
  });
  const line = await program.line(/listening on/);
  return { url: line.slice(line.indexOf("http")) };
}

describe("an installed Codex", () => {
  it.each(["codex", "notes", "words"])("answers as the example has it: %s", { timeout: 60_000 }, async (model) => {
    const { url } = await serve(["serve", "--config", example]);
    const turns = await weatherTrip(url, "chat", model, true);
    expect(turns.at(-1)).toMatchObject({ text: answer, calls: [] });
    expect(turns).toHaveLength(2);
  });

  it("is found without any file, in the home that its variable names", { timeout: 60_000 }, async () => {
    const { url } = await serve(["serve"], { CODEX_HOME: home.folder });
    const turns = await weatherTrip(url, "responses", "codex", false);
    expect(turns.at(-1)).toMatchObject({ text: answer });
    expect((await readiness({ url })).status).toBe(200);
  });

  it("that cannot be used is no trouble where nobody asked for it", { timeout: 60_000 }, async () => {
    const { url } = await serve(["serve"], { CODEX_HOME: join(person, "empty") });
    const { status, text } = await readiness({ url });
    expect(status).toBe(200);
    expect(text).toMatch(/codex login/);
  });

  it("is told of by check", { timeout: 60_000 }, async () => {
    const { finished } = start(["check", "--config", example], surroundings());
    const { code, stdout } = await finished;
    expect(code).toBe(0);
    expect(stdout).toMatch(/now\n\s+codex\s+ready/);
  });
});
