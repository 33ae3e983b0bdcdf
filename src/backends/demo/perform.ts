import type { Round } from "../../turn/index.ts";
import type { Beat } from "./script.ts";

/** Gives out the script, a flush a beat, at the pace of a person's reading. */
export async function perform(script: readonly Beat[], round: Round, pace: number): Promise<void> {
  const { signal } = round;
  for (const [at, beat] of script.entries()) {
    if (at > 0 && pace > 0) await unlessAborted(signal, (done) => wait(pace, done));
    signal.throwIfAborted();
    for (const event of beat) round.emit(event);
    const full = round.flush();
    if (full) {
      await unlessAborted(signal, (done, failed) => {
        full.then(done, failed);
        return () => {};
      });
    }
  }
}

function wait(pace: number, done: () => void): () => void {
  const timer = setTimeout(done, pace);
  return () => clearTimeout(timer);
}

type Start = (done: () => void, failed: (reason: unknown) => void) => () => void;

/** Waits for what `start` begins; an abort ends it at once with the signal's reason and leaves nothing behind. */
function unlessAborted(signal: AbortSignal, start: Start): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = (): void => {
      stop();
      reject(signal.reason);
    };
    const settled =
      <Value>(settle: (value: Value) => void) =>
      (value: Value): void => {
        signal.removeEventListener("abort", abort);
        settle(value);
      };
    const stop = start(settled(resolve), settled(reject));
    signal.addEventListener("abort", abort, { once: true });
  });
}
