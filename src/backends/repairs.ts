import type { Emit, Repair } from "../turn/index.ts";

/** A call that is still being read, as far as its repairs are concerned. */
export interface RepairedCall {
  /** In the events of the common language. */
  readonly number: number;
  started: boolean;
  done: boolean;
  /** Nothing, for the calls of a provider that keeps to its API. */
  repairs: Set<Repair> | undefined;
}

/** Each kind is told once a call, and not before the call has begun. */
export function noteRepair(call: RepairedCall, repair: Repair, emit: Emit): void {
  if (call.done || call.repairs?.has(repair)) return;
  call.repairs ??= new Set();
  call.repairs.add(repair);
  if (call.started) emit({ type: "call.repaired", call: call.number, repair });
}

/** What was noted before the call began. */
export function tellRepairs(call: RepairedCall, emit: Emit): void {
  if (!call.repairs) return;
  for (const repair of call.repairs) emit({ type: "call.repaired", call: call.number, repair });
}
