import type { Emit, TurnEvent } from "../../turn/index.ts";

/** One station of a round: takes an event and emits what comes of it, at once. A round's last event is always terminal. */
export type Stage = (event: TurnEvent, emit: Emit) => void;

/** Stages in a row: what goes in at the front comes out at `last`. */
export function line(stages: readonly Stage[], last: Emit): Emit {
  return stages.reduceRight<Emit>((next, stage) => (event) => stage(event, next), last);
}
