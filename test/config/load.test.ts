import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError, type LoadOptions, loadConfig } from "../../src/config/index.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "toolwire-config-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function load(options: Partial<LoadOptions> = {}) {
  return loadConfig({ dialects: [], environment: {}, cwd, ...options });
}

async function mistakesOf(options: Partial<LoadOptions>): Promise<ConfigError> {
  const error = await load(options).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ConfigError) return error;
  throw new Error("expected a ConfigError", { cause: error });
}

function write(name: string, content: string | Buffer): string {
  const file = join(cwd, name);
  writeFileSync(file, content);
  return file;
}

describe("the configuration's file", () => {
  it("is not needed", async () => {
    const { config, file } = await load();
    expect(file).toBeNull();
    expect(config.default_model).toBe("demo");
  });

  it("is toolwire.yaml in the working directory", async () => {
    const usual = write("toolwire.yaml", "listen: { port: 1 }");
    expect(await load()).toMatchObject({ file: usual, config: { listen: { port: 1 } } });
  });

  it("may be named by the environment, and rather by the command line", async () => {
    write("toolwire.yaml", "listen: { port: 1 }");
    write("two.yaml", "listen: { port: 2 }");
    write("three.yaml", "listen: { port: 3 }");
    const environment = { TOOLWIRE_CONFIG: "two.yaml" };
    expect((await load({ environment })).config.listen.port).toBe(2);
    expect((await load({ environment, file: "three.yaml" })).config.listen.port).toBe(3);
  });

  it("is where its paths begin", async () => {
    mkdirSync(join(cwd, "etc"));
    write("etc/gateway.yaml", "telemetry: { events: events.ndjson }");
    const { config } = await load({ file: "etc/gateway.yaml" });
    expect(config.telemetry.events).toBe(join(cwd, "etc", "events.ndjson"));
  });

  it("may begin with a byte order mark", async () => {
    write("toolwire.yaml", "\uFEFFlisten: { port: 1 }");
    expect((await load()).config.listen.port).toBe(1);
  });

  it("is named in the error", async () => {
    const file = write("toolwire.yaml", "lisen: 1");
    expect(await mistakesOf({})).toMatchObject({ file, message: "lisen: unknown key; did you mean listen?" });
  });

  it.each([
    ["there is no such file", "missing.yaml"],
    ["it is a folder", "."],
    ["it is larger than 1mb", "large.yaml"],
    ["it is larger than 1mb", "/dev/zero"],
    ["it is not UTF-8 text", "binary.yaml"],
  ])("that cannot be read is answered with the reason: %s (%s)", async (reason, file) => {
    write("large.yaml", "#".repeat(1_024 ** 2 + 1));
    write("binary.yaml", Buffer.from([0xff, 0xfe, 0x00]));
    const { mistakes } = await mistakesOf({ file });
    expect(mistakes).toEqual([{ path: "", message: `cannot read the configuration: ${reason}` }]);
  });
});
