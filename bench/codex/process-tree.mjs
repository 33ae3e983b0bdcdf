import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Where the system does not tell of other processes, nothing is said of them. */
export const isKnown = existsSync("/proc/self/stat");

/** The program that was started last below a process: of a script that starts a program, the program. */
export function lastBelow(pid) {
  const all = isKnown ? readdirSync("/proc").flatMap(read) : [];
  let [found, below] = [undefined, all.filter(({ parent }) => parent === pid)];
  while (below.length > 0) {
    found = below.at(-1);
    below = all.filter(({ parent }) => parent === found.pid);
  }
  return found?.pid;
}

/** µs of CPU, user and system, in the system's steps of a hundredth of a second. */
export function cpuOf(pid) {
  const [user, system] = statOf(pid).slice(11, 13).map(Number);
  return (user + system) * 10_000;
}

/** Bytes of memory that a process has from the system. */
export function residentOf(pid) {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1] ?? 0) * 1024;
}

function read(name) {
  if (!/^\d+$/.test(name)) return [];
  try {
    const [state, parent] = statOf(name);
    return state === "Z" ? [] : [{ pid: Number(name), parent: Number(parent) }];
  } catch {
    return [];
  }
}

/** From the state on; the name before it may have spaces. */
function statOf(pid) {
  return readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
}
