import { cpSync } from "node:fs";

/**
 * The start of a gateway's Codex, as the recorder wrote it down, for another one in another lodging: the same program, settings and
 * environment, and copies of the files that these name. Databases are made anew, as those of the gateway were.
 */
export function sameLaunch({ program, args, cwd, env }, from, to) {
  cpSync(from, to, { recursive: true, filter: (path) => !/\.sqlite(?:-\w+)?$/.test(path) });
  const moved = (text) => text.replaceAll(from, to);
  const entries = Object.entries(env).map(([name, value]) => [name, moved(value)]);
  return { program, args: args.map(moved), cwd: moved(cwd), env: Object.fromEntries(entries) };
}
