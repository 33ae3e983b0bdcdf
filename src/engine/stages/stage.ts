import { type BackendEvent, type Emit, isTerminal } from "../../turn/index.ts";

/** One step of a round: takes an event and synchronously emits the resulting events. A round's last event is always terminal. */
export type Stage = (event: BackendEvent, emit: Emit) => void;

/**
 * Chains stages: an event enters the first stage and leaves through `last`. After a terminal event, all further events are dropped.
 */
export function line(stages: readonly Stage[], last: Emit): Emit {
  let isOver = false;
  const end: Emit = (event) => {
    if (isOver) return;
    isOver = isTerminal(event);
    last(event);
  };
  return stages.reduceRight<Emit>(
    (next, stage) => (event) => {
      if (!isOver) stage(event, next);
    },
    end,
  );
}
