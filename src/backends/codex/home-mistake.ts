import { execFile } from "node:child_process";

/** The error that Codex reports for its home's configuration, else empty. The command exits at once and contacts no service. */
export function readMistake(
  command: readonly string[],
  settings: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const at = command.lastIndexOf("app-server");
  const [program, ...rest] = at === -1 ? [] : command.slice(0, at);
  if (program === undefined) return Promise.resolve("");
  return new Promise((resolve) => {
    const options = { env, signal, killSignal: "SIGKILL", windowsHide: true } as const;
    execFile(
      program,
      [...rest, ...settings.flatMap((setting) => ["-c", setting]), "features", "list"],
      options,
      (_error, _stdout, stderr) => resolve(mistakeIn(stderr)),
    );
  });
}

/** "Error: failed to load configuration\n\nCaused by:\n    Model provider `x` not found\n\nStack backtrace: …" */
function mistakeIn(stderr: string): string {
  const found = /failed to load (?:\w+ )?configuration\s+Caused by:\s+(?:0: )?(.+)/.exec(stderr);
  return found?.[1] ?? "";
}
