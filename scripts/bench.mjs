import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.mjs";
import { prepare, root } from "./setup.mjs";

const folder = join(root, "bench");
const [first = "stream"] = process.argv.slice(2);
const named = !first.startsWith("-");
const name = named ? first : "stream";
const rest = process.argv.slice(named ? 3 : 2);

if (!/^[\w-]+$/.test(name) || !existsSync(join(folder, `${name}.mjs`))) {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const names = files.filter((file) => file.endsWith(".mjs")).map((file) => file.slice(0, -4));
  process.stderr.write(`toolwire: there is no bench ${name}; there are ${names.join(", ") || "none"}\n`);
  process.exit(1);
}

await prepare();

const { code } = await run(process.execPath, [join(folder, `${name}.mjs`), ...rest], { cwd: root, share: true });
process.exitCode = code;
