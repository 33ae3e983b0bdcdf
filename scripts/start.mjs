import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { prepare, root } from "./setup.mjs";

if (process.env.npm_lifecycle_event !== undefined) stopWithParent(process.ppid);
await prepare();

const program = join(root, "dist", "cli", "main.js");
process.argv[1] = program;
await import(pathToFileURL(program).href);

/** npm runs scripts in a shell and passes SIGTERM to that shell only, which ends and tells nobody. */
function stopWithParent(parent) {
  const watch = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  }, 200);
  watch.unref();
  // From then on a stop is under way, and the shell's end is no second wish to stop.
  const heard = (signal) => {
    clearInterval(watch);
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  process.once("SIGINT", heard).once("SIGTERM", heard);
}
