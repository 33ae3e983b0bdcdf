import { spawn } from "node:child_process";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { TappedLines } from "./tapped-lines.mjs";

/**
 * Stands between the gateway and Codex (`node tap.mjs codex app-server …`) and passes on everything that they say. When the soak
 * asks, it asks Codex a question of its own, which threads it has loaded, and keeps the answer from the gateway.
 */
const [program, ...args] = process.argv.slice(2);
const isTapped = args.includes("app-server");

const codex = spawn(program, args, { stdio: isTapped ? ["pipe", "pipe", "inherit"] : "inherit" });
codex.once("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => codex.kill(signal));
if (isTapped) tap();

function tap() {
  const port = Number(process.env.TOOLWIRE_SOAK_PORT);
  const soak = connect({ host: "127.0.0.1", port });
  soak.on("error", () => {});
  const tell = (message) => soak.write(`${JSON.stringify(message)}\n`);
  tell({ pid: codex.pid });

  const lines = new TappedLines(codex.stdin, process.stdout, ({ result, error }) =>
    tell({ threads: error ? null : result.data.length }),
  );
  createInterface({ input: soak }).on("line", () => lines.ask("thread/loaded/list", {}));
  process.stdin.on("data", (chunk) => lines.toCodex(chunk));
  process.stdin.on("end", () => codex.stdin.end());
  codex.stdout.on("data", (chunk) => lines.fromCodex(chunk));
  for (const stream of [process.stdin, process.stdout, codex.stdin]) stream.on("error", () => {});
}
