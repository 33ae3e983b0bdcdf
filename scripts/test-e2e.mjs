import { existsSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.mjs";
import { prepare, prepareDependencies, root } from "./setup.mjs";

const folder = join(root, "test", "e2e");
if (!existsSync(join(folder, "package.json"))) {
  process.stderr.write("toolwire: this checkout has no test/e2e/package.json, so there is nothing to run\n");
  process.exit(1);
}

await prepare();
await prepareDependencies(folder, "installing the outside parts of the end-to-end tests");

const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const args = [vitest, "run", "--config", "test/e2e/vitest.config.ts", ...process.argv.slice(2)];
const { code } = await run(process.execPath, args, { cwd: root, share: true });
process.exitCode = code;
