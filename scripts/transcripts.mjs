// Plays the scenes of test/transcripts and writes down anew what goes over the wires. Read the difference before you commit it.
import { join } from "node:path";
import { run } from "./run.mjs";
import { prepare, root } from "./setup.mjs";

await prepare();

const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { code } = await run(process.execPath, [vitest, "run", "test/transcripts", "--update"], {
  cwd: root,
  share: true,
});
if (code === 0) console.log("test/transcripts is written anew; `git diff test/transcripts` shows what changed.");
process.exitCode = code;
