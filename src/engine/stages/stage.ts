import { type BackendEvent, type Emit, isTerminal } from "../../turn/index.ts";

/** One station of a round: takes an event and emits what comes of it, at once. A round's last event is always terminal. */
export type Stage = (event: BackendEvent, emit: Emit) => void;

/** Stages in a row: what goes in at the front comes out at `last`. Once a terminal event has come out, nothing goes on. */
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
