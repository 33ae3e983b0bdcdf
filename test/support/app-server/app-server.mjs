/**
 * A stand-in for `codex app-server`, for machines without Codex: `node app-server.mjs SCENE_FILE [whatever the gateway appends]`.
 * It says what the real program was recorded to say (test/backends/codex/recordings). What a turn does, and where everything that
 * was received is written down, stands in the scene; `index.ts` beside this file makes one and says what may be in it.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { AppServer } from "./server.mjs";

const [sceneFile, ...rest] = process.argv.slice(2);
const scene = JSON.parse(readFileSync(sceneFile, "utf8"));
const earlier = readLog();

if (rest.includes("--version")) {
  process.stdout.write(`codex-cli ${scene.version}\n`);
} else if (rest.includes("debug")) {
  note({ kind: "command", argv: rest });
  if (scene.bundledModels) process.stdout.write(`${JSON.stringify(scene.bundledModels)}\n`);
  else process.exitCode = 1;
} else serve();

function serve() {
  const starts = earlier.filter(({ kind }) => kind === "start").length;
  const env = Object.fromEntries(scene.env.map((name) => [name, process.env[name] ?? null]));
  note({ kind: "start", argv: rest, env, envNames: Object.keys(process.env), cwd: process.cwd() });
  if (starts < scene.failStarts) {
    process.stderr.write("Error: failed to initialize sqlite state runtime\n");
    return leave(1, "scene");
  }
  // Nobody waits for a program that was left behind by a test that failed.
  setTimeout(() => leave(9, "lifetime"), scene.lifetime).unref();
  const turnsBefore = earlier.filter(({ kind, method }) => kind === "request" && method === "turn/start").length;
  const server = new AppServer({ scene, turnsBefore, note, leave, write: (text) => process.stdout.write(text) });
  process.stdout.on("error", () => leave(0, "stdout closed"));
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.on(signal, () => {
      note({ kind: "signal", signal });
      if (!scene.stubborn) leave(0, signal);
    });
  }
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on("line", (line) => server.receive(line));
  lines.on("close", () => {
    note({ kind: "stdin closed" });
    if (!scene.stubborn && !server.isFrozen) leave(0, "stdin closed");
    else setInterval(() => {}, 1_000);
  });
}

function note(entry) {
  appendFileSync(scene.log, `${JSON.stringify({ at: Date.now(), pid: process.pid, ...entry })}\n`);
}

function leave(code, reason) {
  note({ kind: "exit", code, reason });
  process.exit(code);
}

function readLog() {
  if (!existsSync(scene.log)) return [];
  const lines = readFileSync(scene.log, "utf8").split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}
