import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { run } from "./program.ts";

const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

describe("the command line", () => {
  it("shows its commands and flags with --help, without colours where nobody sees them", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    for (const word of ["serve", "check", "replay", "--config", "--host", "--port"]) expect(stdout).toContain(word);
    expect(stdout).not.toContain("\x1b");
  });

  it("shows the flags of a command with --help", async () => {
    const { code, stdout } = await run(["check", "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("toolwire check");
    expect(stdout).not.toContain("--port");
  });

  it.each(["--version", "-v"])("shows the version with %s", async (flag) => {
    const { code, stdout } = await run([flag]);
    expect(code).toBe(0);
    expect(manifest).toHaveProperty("version", stdout.trim());
  });

  it.each([
    [["chekc"], "toolwire: there is no command chekc; did you mean check?"],
    [["dance"], "toolwire: there is no command dance; there are serve, check, keys, store and replay"],
    [["constructor"], "toolwire: there is no command constructor; there are serve, check, keys, store and replay"],
    [["--prot", "1"], "toolwire: there is no flag --prot; did you mean --port?"],
    [["check", "--port", "1"], "toolwire: there is no flag --port; there are --config"],
    [["--no-port"], "toolwire: there is no flag --no-port; did you mean --port?"],
    [["keys", "-x"], "toolwire: keys needs a command; there are create, list and revoke"],
    [["-x"], "toolwire: there is no flag -x; there are --config, --host, --port"],
    [["serve", "--port"], "toolwire: --port needs a value"],
    [["serve", "--port="], "toolwire: --port needs a value"],
    [["--port", "http"], "toolwire: --port must be a number from 0 to 65535, found http"],
    [["--port", "70000"], "toolwire: --port must be a number from 0 to 65535, found 70000"],
    [["--port", "1", "check"], "toolwire: unexpected argument check; write the command first, then its flags"],
  ])("answers %j with one sentence", async (args, sentence) => {
    expect(await run(args)).toEqual({ code: 1, stdout: "", stderr: `${sentence}\n` });
  });
});
