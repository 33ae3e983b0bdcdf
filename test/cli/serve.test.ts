import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Running, run, start, startInTerminal } from "./program.ts";

const ready = /^toolwire listening on (http:\/\/127\.0\.0\.1:\d+)$/;

async function addressOf(running: Running): Promise<string> {
  return (await running.line(ready)).replace(ready, "$1");
}

function takenPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
    onTestFinished(() => {
      server.close();
    });
  });
}

describe("toolwire serve", () => {
  it.each([[["--port", "0"]], [["serve", "--port", "0"]], [["serve", "--port=0", "--host=127.0.0.1"]]])(
    "prints one line when it is ready: %j",
    async (args) => {
      const running = start(args);
      const address = await addressOf(running);
      expect((await fetch(`${address}/health`)).status).toBe(200);
      running.child.kill("SIGTERM");
      expect(await running.finished).toMatchObject({ code: 0, stdout: `toolwire listening on ${address}\n` });
    },
  );

  it.each(["SIGTERM", "SIGINT"] as const)("ends with exit code 0 after %s", async (signal) => {
    const running = start(["--port", "0"]);
    await addressOf(running);
    running.child.kill(signal);
    expect((await running.finished).code).toBe(0);
  });

  it("lets a running turn finish, and ends at once at a second signal", async () => {
    const files = { "toolwire.yaml": "backends: { demo: { kind: demo, pace: 5s } }" };
    const running = start(["--port", "0"], { files });
    const address = await addressOf(running);
    const body = JSON.stringify({ model: "demo", stream: true, messages: [{ role: "user", content: "Hello" }] });
    const headers = { "content-type": "application/json" };
    const turn = fetch(`${address}/v1/chat/completions`, { method: "POST", headers, body })
      .then((response) => response.text())
      .catch(() => "cut");
    await setTimeout(500);
    running.child.kill("SIGTERM");
    expect(await Promise.race([running.finished, setTimeout(700, "still running")])).toBe("still running");
    running.child.kill("SIGTERM");
    expect((await running.finished).code).toBe(143);
    expect(await turn).toBe("cut");
  });

  it.skipIf(process.platform === "win32")("goes on after SIGHUP, and says so", async () => {
    const running = start(["--port", "0"]);
    const address = await addressOf(running);
    running.child.kill("SIGHUP");
    await setTimeout(200);
    expect((await fetch(`${address}/health`)).status).toBe(200);
    running.child.kill("SIGTERM");
    const { code, stderr } = await running.finished;
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({ level: "warn", msg: expect.stringMatching(/^SIGHUP ignored: /) });
  });

  it.skipIf(!existsSync("/usr/bin/script") || process.platform !== "linux")(
    "ends when the terminal that it was started in is closed",
    async () => {
      const terminal = startInTerminal(["--port", "0"]);
      const address = await addressOf(terminal);
      terminal.child.kill("SIGKILL");
      const isServing = () =>
        fetch(`${address}/health`).then(
          () => true,
          () => false,
        );
      await expect.poll(isServing, { timeout: 8_000 }).toBe(false);
    },
  );

  it("says in one sentence that its port is in use", async () => {
    const port = await takenPort();
    expect(await run(["--port", String(port)])).toEqual({
      code: 1,
      stdout: "",
      stderr: `toolwire: port ${port} of 127.0.0.1 is in use; stop what listens there, or choose another port with --port\n`,
    });
  });

  it("says in one sentence that an address is not this machine's", async () => {
    const files = { "toolwire.yaml": "keys: [secret]" };
    const { code, stderr } = await run(["--host", "192.0.2.1", "--port", "0"], { files });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "toolwire: this machine does not have the address 192.0.2.1; choose another with --host\n",
    });
  });

  it("does not open the gateway to other machines without keys", async () => {
    expect(await run(["--host", "0.0.0.0", "--port", "0"])).toEqual({
      code: 1,
      stdout: "",
      stderr:
        'toolwire: listen.host: "0.0.0.0" can be reached from other machines, so a key is needed; set keys in the configuration, or run toolwire keys create NAME\n',
    });
  });

  it("answers a mistaken configuration as check does", async () => {
    expect(await run([], { files: { "toolwire.yaml": "lisen: {}" } })).toEqual({
      code: 1,
      stdout: "",
      stderr: "toolwire.yaml: lisen: unknown key; did you mean listen?\n",
    });
  });
});
