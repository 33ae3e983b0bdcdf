import type { Emit, Repair } from "../turn/index.ts";

/** What repairs need to know of a call that is still being read. */
export interface RepairedCall {
  /** The call's number in backend events. */
  readonly number: number;
  started: boolean;
  done: boolean;
  /** `undefined` for the calls of a provider that follows its API. */
  repairs: Set<Repair> | undefined;
}

/** Emits each kind once per call, and not before the call has started. */
export function noteRepair(call: RepairedCall, repair: Repair, emit: Emit): void {
  if (call.done || call.repairs?.has(repair)) return;
  call.repairs ??= new Set();
  call.repairs.add(repair);
  if (call.started) emit({ type: "call.repaired", call: call.number, repair });
}

/** Emits the repairs noted before the call started. */
export function tellRepairs(call: RepairedCall, emit: Emit): void {
  if (!call.repairs) return;
  for (const repair of call.repairs) emit({ type: "call.repaired", call: call.number, repair });
}
