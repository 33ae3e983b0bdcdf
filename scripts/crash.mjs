import { join } from "node:path";
import { run } from "./run.mjs";
import { prepare, root } from "./setup.mjs";

await prepare();

const file = join(root, "bench", "crash", "crash.mjs");
const { code } = await run(process.execPath, [file, ...process.argv.slice(2)], { cwd: root, share: true });
process.exitCode = code;
