import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const own = fileURLToPath(new URL("../../dist", import.meta.url));

/** What bench/servers/toolwire.mjs takes from a build. */
const needed = ["http/server.js", "gateway/index.js"];

/**
 * Who can stand between a client and the provider: `server` is the file in bench/servers, and `base`, where a folder is given, is
 * another build of Toolwire.
 */
export function contendersOf(baseFolder) {
  const bare = (name) => ({ name, server: name, translates: false, dist: "" });
  const build = (name, dist) => ({ name, server: "toolwire", translates: true, dist });
  const base = baseFolder === undefined ? [] : [build("base", findBuild(baseFolder))];
  return [bare("pipe"), bare("reprint"), build("toolwire", own), ...base];
}

/** The arguments of its process. */
export function argumentsFor({ dist }, provider, level = "") {
  return [provider.url, level, dist];
}

/** Throws with a sentence that says how to get one. */
function findBuild(folder) {
  const dist = join(resolve(folder), "dist");
  if (needed.every((file) => existsSync(join(dist, file)))) return dist;
  throw new Error(`--base: there is no build of Toolwire in ${dist}: run node scripts/build.mjs in ${resolve(folder)}`);
}
