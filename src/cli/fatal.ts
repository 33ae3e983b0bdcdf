import type { Log } from "../telemetry/index.ts";

/** Ends the process at an error that nothing has caught. The log gets it first, redacted and behind the lines before it. */
export function endOnFatalError(log: Log): void {
  // Node reports promises that nobody handles here as well.
  process.on("uncaughtException", (error, origin) => {
    try {
      const what = origin === "unhandledRejection" ? "a promise was rejected and nobody handled it" : "uncaught error";
      log.fatal({ err: error }, `${what}; Toolwire ends`);
    } finally {
      process.exit(1);
    }
  });
}
