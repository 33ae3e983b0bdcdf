import { join } from "node:path";
import { run } from "./run.mjs";
import { prepare, root } from "./setup.mjs";

await prepare();

const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { code } = await run(process.execPath, [vitest, "run", ...process.argv.slice(2)], { cwd: root, share: true });
process.exitCode = code;
