import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./lock.mjs";
import { run } from "./run.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));

const dist = join(root, "dist");
const entry = join(dist, "cli", "main.js");
const buildStamp = join(dist, ".build");
const typescript = join(root, "node_modules", "typescript", "bin", "tsc");

/** Installs and builds what is missing or out of date. Says nothing when that is nothing. */
export async function prepare() {
  refuseOldNode();
  if (isInstalled(root, [typescript]) && isBuilt()) return;
  await locked(async () => {
    if (!isInstalled(root, [typescript])) await install(root, "installing dependencies");
    if (!isBuilt()) await build();
  });
}

/** Installs the dependencies of a package in this checkout, if they are missing or not those of its lock file. */
export async function prepareDependencies(folder, description) {
  if (!isInstalled(folder)) await locked(() => isInstalled(folder) || install(folder, description));
}

function locked(task) {
  return withLock(join(dist, ".lock"), () => say("waiting for another start in this folder"), task);
}

function isInstalled(folder, needed = []) {
  const modules = join(folder, "node_modules");
  if (!existsSync(modules) || !needed.every((file) => existsSync(file))) return false;
  const stamp = readOrNull(installStamp(folder));
  if (stamp !== null && stamp === hashOf(lockFile(folder))) return true;
  // Installed by hand: npm writes its own copy of the lock file when it has finished.
  return modifiedAt(join(modules, ".package-lock.json")) >= modifiedAt(lockFile(folder), Number.POSITIVE_INFINITY);
}

async function install(folder, description) {
  say(description);
  unlinkModules(folder);
  const lock = hashOf(lockFile(folder));
  // Building needs the development dependencies, which NODE_ENV=production would leave out.
  const flags = ["--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  let result = await npm(["ci", ...flags], folder);
  if (result.code !== 0 && folder !== root && result.signal === null) {
    // npm ci refuses lock files that lack the binaries of other platforms.
    result = await npm(["install", "--no-save", ...flags], folder);
  }
  if (result.code !== 0)
    fail(`npm could not install the dependencies of ${relative(root, folder) || "Toolwire"}`, result);
  writeFileSync(installStamp(folder), lock);
}

/** npm would empty the folder behind a link, which belongs to another checkout: only the link goes. */
function unlinkModules(folder) {
  const modules = join(folder, "node_modules");
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(modules);
}

function npm(args, folder) {
  // What npm told the script that it started is about another package than the one that is installed now.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_(?:package|lifecycle|command|config_local_prefix)|INIT_CWD)/.test(name),
    ),
  );
  const cli = process.env.npm_execpath;
  if (cli !== undefined && basename(cli) === "npm-cli.js")
    return run(process.execPath, [cli, ...args], { cwd: folder, env });
  const windows = process.platform === "win32";
  return run(windows ? "npm.cmd" : "npm", args, { cwd: folder, env, shell: windows });
}

function isBuilt() {
  return existsSync(entry) && readOrNull(buildStamp) === sourceHash();
}

async function build() {
  say("building");
  // Before the compiler runs, so that a file that changes meanwhile is built the next time.
  const source = sourceHash();
  rmSync(buildStamp, { force: true });
  // With its notes the compiler would not write again what somebody removed.
  if (!existsSync(entry)) rmSync(join(dist, ".tsbuildinfo"), { force: true });
  const result = await run(process.execPath, [typescript, "-p", "tsconfig.build.json"], { cwd: root });
  if (result.code !== 0) fail("the build failed", result);
  writeFileSync(buildStamp, source);
}

/** Everything that the build depends on, by name, size and time. */
function sourceHash() {
  const settings = readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name));
  const files = [...filesIn(join(root, "src")), ...settings.map((name) => join(root, name))].sort();
  const hash = createHash("sha256").update(hashOf(lockFile(root)));
  for (const file of files) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)}\0${size}\0${mtimeMs}\0`);
  }
  return hash.digest("hex");
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath ?? file.path, file.name));
}

function lockFile(folder) {
  return join(folder, "package-lock.json");
}

function installStamp(folder) {
  return join(folder, "node_modules", ".toolwire-lock-hash");
}

function hashOf(file) {
  return createHash("sha256")
    .update(readOrNull(file) ?? "")
    .digest("hex");
}

function readOrNull(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

function modifiedAt(file, otherwise = 0) {
  return existsSync(file) ? statSync(file).mtimeMs : otherwise;
}

function say(text) {
  process.stderr.write(`toolwire: ${text} …\n`);
}

function fail(sentence, { code, signal, output }) {
  process.stderr.write(`${output.trimEnd()}\ntoolwire: ${sentence} (${signal ?? `exit code ${code}`})\n`);
  process.exit(1);
}

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  process.stderr.write(`toolwire: Node 20.19 or newer is needed; this is ${process.versions.node}\n`);
  process.exit(1);
}
