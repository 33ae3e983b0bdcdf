import { constants } from "node:os";

const signals = ["SIGINT", "SIGTERM"] as const;

/** Milliseconds. npm forwards a signal that the terminal has already sent to every process, so one Ctrl-C may arrive twice. */
const echo = process.env.npm_lifecycle_event === undefined ? 0 : 500;

/** Resolves at the first signal to stop. A second signal ends the process at once. */
export function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    for (const signal of signals) {
      process.on(signal, () => {
        const now = performance.now();
        if (first !== undefined && now - first >= echo) process.exit(128 + constants.signals[signal]);
        first ??= now;
        resolve();
      });
    }
  });
}
