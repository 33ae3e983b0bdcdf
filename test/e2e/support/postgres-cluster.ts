import { execFile } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A Postgres server that a test may stop. */
export interface PostgresCluster {
  url: string;
  start(): Promise<void>;
  /** As a crash does: nothing is finished, and the next start recovers. */
  crash(): Promise<void>;
  remove(): Promise<void>;
}

/** The folder with `initdb` and `pg_ctl`, as Debian and others install it; `undefined` if there is none. */
export function findBinaries(): string | undefined {
  const versions = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [];
  const folders = versions.map((version) => `/usr/lib/postgresql/${version}/bin`);
  const inPath = (process.env.PATH ?? "").split(":");
  return [...folders.sort().reverse(), ...inPath].find((folder) => existsSync(join(folder, "pg_ctl")));
}

/** Creates and starts a server of its own on a free port. */
export async function startCluster(binaries: string): Promise<PostgresCluster> {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-postgres-"));
  const user = serverUser();
  if (user) {
    chownSync(folder, user.uid, user.gid);
    chmodSync(folder, 0o700);
  }
  const run = (program: string, args: string[]) =>
    promisify(execFile)(join(binaries, program), args, { cwd: folder, env: { LC_ALL: "C" }, ...user });
  const data = join(folder, "data");
  await run("initdb", ["--no-sync", "--auth=trust", "--username=toolwire", "--encoding=UTF8", "--pgdata", data]);
  const port = await freePort();
  // What is written survives a crash of the server without fsync.
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off -c log_min_messages=fatal`;
  const control = (...args: string[]) =>
    run("pg_ctl", [...args, "--wait", "--pgdata", data, "--log", join(folder, "log")]);
  const cluster: PostgresCluster = {
    url: `postgres://toolwire@127.0.0.1:${port}/postgres`,
    start: async () => void (await control("start", "--options", options)),
    crash: async () => void (await control("stop", "--mode=immediate")),
    async remove() {
      await control("stop", "--mode=immediate").catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await cluster.start();
  } catch (error) {
    await cluster.remove();
    throw error;
  }
  return cluster;
}

/** A server refuses to run as root; the package of a distribution creates a user for it. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  const entry = lines.find((line) => line.startsWith("postgres:")) ?? lines.find((line) => line.startsWith("nobody:"));
  const [, , uid, gid] = entry?.split(":") ?? [];
  if (uid === undefined || gid === undefined) throw new Error("There is no user postgres who could run a server.");
  return { uid: Number(uid), gid: Number(gid) };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === "object" && address !== null) resolve(address.port);
        else reject(new Error("no port"));
      });
    });
  });
}
