import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

/**
 * Starts Codex as it was itself started (`node recorder.mjs FILE codex app-server …`), and writes down with what: the last start is
 * the one that serves. It stands in nobody's way, as Codex has its pipes.
 */
const [file, program, ...args] = process.argv.slice(2);
if (args.includes("app-server")) {
  writeFileSync(file, JSON.stringify({ program, args, cwd: process.cwd(), env: process.env }));
}
const codex = spawn(program, args, { stdio: "inherit" });
codex.once("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => codex.kill(signal));
