import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { start } from "../cli/program.ts";
import { codeBlocks } from "../examples/code-blocks.ts";
import { conversation, offeredTools, type Provider, type Script, startProvider } from "../support/provider.ts";
import { codexBinary } from "./support/codex.ts";

const example = (name: string) => fileURLToPath(new URL(`../../examples/codex-on-any-model/${name}`, import.meta.url));
const page = readFileSync(new URL("../../docs/codex-cli.md", import.meta.url), "utf8");

/** A model that does what the example asks for, with tools of its own or with those in its prompt. */
const obedient: Script = ({ body }) => {
  const entries = conversation(body);
  const read = entries.filter((entry) => JSON.stringify(entry).includes("Hello from a file"));
  if (read.length > 0) return { say: "It printed: Hello from a file" };
  const call = { name: "exec_command", arguments: JSON.stringify({ cmd: "cat hello.txt" }) };
  return offeredTools(body).length > 0 ? { calls: [call] } : { say: `<tool_call>${JSON.stringify(call)}</tool_call>` };
};

let provider: Provider;
/** A person's folder, with `codex` on the PATH. */
let person: string;
beforeAll(async () => {
  provider = await startProvider(obedient);
  person = mkdtempSync(join(tmpdir(), "toolwire-person-"));
  mkdirSync(join(person, "bin"));
  symlinkSync(codexBinary, join(person, "bin", "codex"));
});
afterAll(async () => {
  rmSync(person, { recursive: true, force: true, maxRetries: 10 });
  await provider.close();
});

async function serve(args: string[]): Promise<string> {
  const program = start(["serve", ...args, "--port", "0"], {
    environment: { PROVIDER_URL: provider.url, PROVIDER_KEY: "sk-of-the-provider", PROVIDER_MODEL: "any/model" },
  });
  onTestFinished(async () => {
    program.child.kill("SIGTERM");
    await program.finished;
  });
  const line = await program.line(/listening on/);
  return line.slice(line.indexOf("http"));
}

function run(command: string, args: string[], more: Record<string, string>) {
  const env = {
    ...process.env,
    HOME: person,
    PATH: `${join(person, "bin")}:${dirname(process.execPath)}:${process.env.PATH}`,
  };
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      command,
      args,
      { cwd: person, env: { ...env, ...more }, timeout: 30_000 },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}

/** The machine of the tests need not have what Codex locks commands in with. */
const unlocked = "--dangerously-bypass-approvals-and-sandbox";

describe("the example of Codex on any model", { timeout: 60_000 }, () => {
  it("works with the demo, without a key or a file", async () => {
    const url = await serve([]);
    const { code, stdout, stderr } = await run("bash", [example("try.sh"), unlocked], { TOOLWIRE_URL: url });
    expect(stdout).toContain("Hello from a file");
    // It knows the model by the list that it was pointed to.
    expect(stderr).not.toMatch(/metadata|models response/i);
    expect(code).toBe(0);
  });

  it.each(["coder", "words"])("works with a provider, as its toolwire.yaml has it: %s", async (model) => {
    const url = await serve(["--config", example("toolwire.yaml")]);
    const settings = { TOOLWIRE_URL: url, TOOLWIRE_MODEL: model };
    const { code, stdout } = await run("bash", [example("try.sh"), unlocked], settings);
    expect(stdout).toContain("It printed: Hello from a file");
    expect(code).toBe(0);
    expect(provider.requests.at(-1)?.body.model).toBe("any/model");
  });

  it("works with the lines of the page", async () => {
    const url = await serve([]);
    const home = join(person, "home");
    mkdirSync(home);
    writeFileSync(join(person, "README.md"), "About wires.");
    const [lines = ""] = codeBlocks(page, "toml");
    const config = lines.replaceAll("http://127.0.0.1:8787", url);
    writeFileSync(join(home, "config.toml"), config);
    const [, prompt = ""] = /^codex exec --skip-git-repo-check '(.*)'$/m.exec(page) ?? [];
    const flags = ["exec", "--strict-config", "--skip-git-repo-check", unlocked];
    const { code, stdout } = await run("codex", [...flags, prompt], { CODEX_HOME: home });
    expect(stdout).toContain("About wires.");
    expect(code).toBe(0);
  });
});
