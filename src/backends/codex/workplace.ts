import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folders of one app-server process, all under one that is removed in the end. */
export interface Workplace {
  /** What Codex is told to be its home. */
  home: string;
  /** Where its databases go: they grow with every request, and two processes that make them at once fail. */
  databases: string;
  /** An empty folder to work in: there is nothing to find. */
  empty: string;
  /** Where the list of its models goes. */
  models: string;
  /** Instructions in the home that the model sees all the same. */
  unhidden: boolean;
  remove(): Promise<void>;
}

export async function createWorkplace(home: string): Promise<Workplace> {
  await mkdir(home, { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), "toolwire-codex-"));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    return { ...(await furnish(folder, home)), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function furnish(folder: string, home: string): Promise<Omit<Workplace, "remove">> {
  const [databases, empty, view] = [join(folder, "databases"), join(folder, "empty"), join(folder, "home")];
  await Promise.all([mkdir(databases), mkdir(empty)]);
  const hasInstructions = await speaksForItself(home);
  const isHidden = hasInstructions && !(await keepsLoginElsewhere(home));
  if (isHidden) await linkHome(home, view);
  return {
    home: isHidden ? view : home,
    databases,
    empty,
    models: join(folder, "models.json"),
    unhidden: hasInstructions && !isHidden,
  };
}

/** Codex gives these to every model, and no setting of it says otherwise. */
const instructions = new Set(["AGENTS.md", "AGENTS.override.md"]);

async function speaksForItself(home: string): Promise<boolean> {
  const sizes = [...instructions].map((name) =>
    stat(join(home, name)).then(
      (found) => (found.isFile() ? found.size : 0),
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).some((size) => size > 0);
}

/** A login in the system's keyring is found by the home's own path only. */
async function keepsLoginElsewhere(home: string): Promise<boolean> {
  const config = await readFile(join(home, "config.toml"), "utf8").catch(() => "");
  return /^\s*cli_auth_credentials_store\s*=\s*["'](?:keyring|auto)["']/m.test(config);
}

/** What is not needed, or is made anew, or would be in the model's ear. */
const leftOut = new Set([...instructions, "skills", "prompts", "log", "sessions", "archived_sessions", "tmp"]);

/** The home without its instructions: a folder of links, through which Codex also writes (a login that it renews, say). */
async function linkHome(home: string, view: string): Promise<void> {
  await mkdir(view);
  const names = new Set([...(await readdir(home)), "auth.json", "auth.lock", "config.toml"]);
  const linked = [...names].filter((name) => !leftOut.has(name) && !/\.sqlite(?:-|$)/.test(name));
  await Promise.all(linked.map((name) => symlink(join(home, name), join(view, name))));
}
