import { readdirSync, readFileSync } from "node:fs";

interface Process {
  pid: number;
  parent: number;
  command: string;
}

/** The processes of Codex under this one: the program's own, and those of the script that starts it. */
export function codexProcesses(): number[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(read);
  const below = (parents: number[]): Process[] => {
    const children = all.filter(({ parent }) => parents.includes(parent));
    return children.length === 0 ? [] : [...children, ...below(children.map(({ pid }) => pid))];
  };
  return below([process.pid])
    .filter(({ command }) => command.includes("app-server"))
    .map(({ pid }) => pid);
}

/** The program itself is what the script has started last. */
export function killCodex(): void {
  const program = codexProcesses().at(-1);
  if (program === undefined) throw new Error("Codex does not run");
  process.kill(program, "SIGKILL");
}

function read(name: string): Process[] {
  try {
    const [state = "", parent] = readFileSync(`/proc/${name}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    // What has ended and is only waiting to be noticed does not run.
    if (state === "Z") return [];
    const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
    return [{ pid: Number(name), parent: Number(parent), command }];
  } catch {
    return [];
  }
}
