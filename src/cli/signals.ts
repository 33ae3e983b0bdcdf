import { constants } from "node:os";
import { isatty } from "node:tty";

const signals = ["SIGINT", "SIGTERM"] as const;
const standardStreams = [0, 1, 2];

/** Milliseconds. npm forwards a signal that the terminal has already sent to every process, so one Ctrl-C may arrive twice. */
const echo = process.env.npm_lifecycle_event === undefined ? 0 : 500;

/** Why the process is to stop. */
export type StopReason = "signal" | "terminal closed";

/** Resolves at the first signal to stop. A second signal ends the process at once. */
export function waitForStop({ onIgnored }: { onIgnored: (signal: string) => void }): Promise<StopReason> {
  return new Promise((resolve) => {
    let first: number | undefined;
    for (const signal of signals) {
      process.on(signal, () => {
        const now = performance.now();
        if (first !== undefined && now - first >= echo) process.exit(128 + constants.signals[signal]);
        first ??= now;
        resolve("signal");
      });
    }
    onHangup({ onTerminalClosed: () => resolve("terminal closed"), onOther: () => onIgnored("SIGHUP") });
  });
}

/**
 * SIGHUP has two meanings: a terminal was closed, and with it goes the gateway that a person started there; or an operator asks a
 * service to read its configuration again. Only in the first case the process had a terminal and has none now.
 */
function onHangup({ onTerminalClosed, onOther }: { onTerminalClosed: () => void; onOther: () => void }): void {
  // Windows sends it when the console is closed, and ends the process soon after, whatever the process does.
  if (process.platform === "win32") return;
  const hadTerminal = standardStreams.some((fd) => isatty(fd));
  process.on("SIGHUP", () => {
    if (hadTerminal && !standardStreams.some((fd) => isatty(fd))) onTerminalClosed();
    else onOther();
  });
}

/** Ends the process as if it had not handled SIGHUP. Its own way to end aborts: it cannot restore a terminal that is gone. */
export function endByHangup(): void {
  process.removeAllListeners("SIGHUP");
  process.kill(process.pid, "SIGHUP");
}
