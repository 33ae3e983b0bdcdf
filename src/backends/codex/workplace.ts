import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFolder } from "./folder-lock.ts";
import { folderPrefix } from "./sweep.ts";

/** The folders of one app-server process, all under one folder that `remove` deletes, or the sweep of a later gateway. */
export interface Workplace {
  /** The folder that Codex uses as its home. */
  home: string;
  /** For Codex's databases. They grow with every request, and two processes that create them at once fail. */
  databases: string;
  /** An empty working directory, so that there is nothing to find. */
  empty: string;
  /** The file for the model list. */
  models: string;
  /** Whether the home has instructions that could not be hidden from the model. */
  unhidden: boolean;
  remove(): Promise<void>;
}

export async function createWorkplace(home: string): Promise<Workplace> {
  await mkdir(home, { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), folderPrefix));
  const lock = await lockFolder(folder);
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 }).finally(lock.release);
  try {
    return { ...(await createFolders(folder, home)), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function createFolders(folder: string, home: string): Promise<Omit<Workplace, "remove">> {
  const [databases, empty, view] = [join(folder, "databases"), join(folder, "empty"), join(folder, "home")];
  await Promise.all([mkdir(databases), mkdir(empty)]);
  const hasInstructions = await hasInstructionFiles(home);
  const isHidden = hasInstructions && !(await usesKeyring(home));
  if (isHidden) await linkHome(home, view);
  return {
    home: isHidden ? view : home,
    databases,
    empty,
    models: join(folder, "models.json"),
    unhidden: hasInstructions && !isHidden,
  };
}

/** Codex sends these to every model, and no setting prevents that. */
const instructions = new Set(["AGENTS.md", "AGENTS.override.md"]);

async function hasInstructionFiles(home: string): Promise<boolean> {
  const sizes = [...instructions].map((name) =>
    stat(join(home, name)).then(
      (found) => (found.isFile() ? found.size : 0),
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).some((size) => size > 0);
}

/** A login in the system's keyring is found only by the original path of the home. */
async function usesKeyring(home: string): Promise<boolean> {
  const config = await readFile(join(home, "config.toml"), "utf8").catch(() => "");
  return /^[ \t]*cli_auth_credentials_store[ \t]*=[ \t]*["'](?:keyring|auto)["']/m.test(config);
}

/** Not needed, created anew, or sent to the model. */
const notLinked = new Set([...instructions, "skills", "prompts", "log", "sessions", "archived_sessions", "tmp"]);

/** The home without its instructions: a folder of symbolic links. Codex also writes through them, for example a renewed login. */
async function linkHome(home: string, view: string): Promise<void> {
  await mkdir(view);
  const names = new Set([...(await readdir(home)), "auth.json", "auth.lock", "config.toml"]);
  const linked = [...names].filter((name) => !notLinked.has(name) && !/\.sqlite(?:-|$)/.test(name));
  await Promise.all(linked.map((name) => symlink(join(home, name), join(view, name))));
}
