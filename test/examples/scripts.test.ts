import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { startGateway } from "../support/gateway.ts";
import { missingPrograms, nameWith, patience, run } from "./programs.ts";

const demo = { backends: { demo: { kind: "demo", pace: "0ms" } } };
const file = (path: string) => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));

let open: RunningServer;
let locked: RunningServer;
beforeAll(async () => {
  open = await startGateway(demo);
  locked = await startGateway({ ...demo, keys: ["tw-test"] });
});
afterAll(async () => {
  await open.close();
  await locked.close();
});

/** What each API's part of the output says, line by line, without its title. */
function parts(stdout: string): string[][] {
  return stdout
    .trim()
    .split("\n\n")
    .map((part) =>
      part
        .split("\n")
        .slice(1)
        .map((line) => line.trim()),
    );
}

const scripts: [string, string[], [string, string]][] = [
  ["curl/weather.sh", missingPrograms("bash", "curl", "jq"), ["bash", file("curl/weather.sh")]],
  ["python/weather.py", missingPrograms("python3"), ["python3", file("python/weather.py")]],
];

describe.each(scripts)("examples/%s", { timeout: patience }, (_file, missing, [program, script]) => {
  const runs = it.skipIf(missing.length > 0);

  runs(nameWith(missing, "calls the tool and gives its result back, on both APIs"), async () => {
    const { code, stdout, stderr } = await run(program, [script], { TOOLWIRE_URL: open.url });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Chat Completions: demo at ${open.url}`);
    expect(stdout).toMatch(/^Responses.*: demo at /m);

    const said = parts(stdout);
    expect(said).toHaveLength(2);
    for (const lines of said) {
      expect(lines[0]).toMatch(/^user {3}What is the weather in \w+/);
      expect(lines[1]).toMatch(/^model {2}calls get_weather {"city":"\w+"}$/);
      expect(lines[2]).toMatch(/^tool {3}{"city": ?"\w+", ?"temperature_c": ?\d+/);
      expect(lines.at(-1)).toBe(`model  get_weather answered: ${lines.at(-2)?.slice("tool   ".length)}.`);
    }
    expect(said[0]).toEqual(said[1]);
  });

  runs(nameWith(missing, "takes the model and the key from the environment"), async () => {
    const environment = { TOOLWIRE_URL: `${locked.url}/v1/`, TOOLWIRE_MODEL: "demo/native", TOOLWIRE_KEY: "tw-test" };
    const { code, stdout } = await run(program, [script], environment);
    expect(code).toBe(0);
    expect(stdout).toContain("demo/native");
    expect(stdout.match(/get_weather answered/g)?.length).toBeGreaterThanOrEqual(2);
  });

  runs(nameWith(missing, "says what is wrong and stops"), async () => {
    const { code, stderr } = await run(program, [script], { TOOLWIRE_URL: locked.url });
    expect(code).toBe(1);
    expect(stderr).toContain("A key is needed here");
  });
});

describe("examples/python/weather.py", { timeout: patience }, () => {
  const missing = missingPrograms("python3");

  it.skipIf(missing.length > 0)(nameWith(missing, "runs two tools, and goes on with the conversation"), async () => {
    const { stdout } = await run("python3", [file("python/weather.py")], { TOOLWIRE_URL: open.url });
    for (const lines of parts(stdout)) {
      expect(lines.map((line) => line.replace(/\d\d:\d\d/g, "HH:MM"))).toEqual([
        "user   What is the weather in Paris and the time in Tokyo?",
        'model  calls get_weather {"city":"Paris"}',
        'tool   {"city": "Paris", "temperature_c": 18}',
        'model  calls get_time {"city":"Tokyo"}',
        'tool   {"city": "Tokyo", "time": "HH:MM"}',
        'model  get_weather answered: {"city": "Paris", "temperature_c": 18}; get_time answered: {"city": "Tokyo", "time": "HH:MM"}.',
        "user   And the weather in Rome?",
        'model  calls get_weather {"city":"Rome"}',
        'tool   {"city": "Rome", "temperature_c": 24}',
        'model  get_weather answered: {"city": "Rome", "temperature_c": 24}.',
      ]);
    }
  });
});
