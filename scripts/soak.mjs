import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.mjs";
import { prepare, root } from "./setup.mjs";

const folder = join(root, "bench", "soak");
const [name = "", ...rest] = process.argv.slice(2);

if (!/^[\w-]+$/.test(name) || !existsSync(join(folder, `${name}.mjs`))) {
  const names = readdirSync(folder).flatMap((file) => (file.endsWith(".mjs") ? [file.slice(0, -4)] : []));
  process.stderr.write(`toolwire: say what to soak: npm run soak -- ${names.join(" | ")}\n`);
  process.exit(1);
}

await prepare();

const { code } = await run(process.execPath, [join(folder, `${name}.mjs`), ...rest], { cwd: root, share: true });
process.exitCode = code;
