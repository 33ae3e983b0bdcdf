import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers";

/**
 * How long work on foreign input may hold the event loop at once, in milliseconds. Work is checked between small pieces, so a stretch
 * is a little longer than this.
 */
export const stretch = 10;

/** When work began in this turn of the event loop; `undefined` before. */
let since: number | undefined;

/**
 * Whether long work should give the event loop back now. All long work of the process shares one clock, so that many requests at
 * once, or many steps of one request, do not add up.
 */
export function isLoopHeld(): boolean {
  const now = performance.now();
  if (since === undefined) {
    since = now;
    setImmediate(restart);
    return false;
  }
  return now - since >= stretch;
}

function restart(): void {
  since = undefined;
}

/** Milliseconds of work in this turn of the event loop that was measured by its caller. */
let spent = 0;
let isResetScheduled = false;
/** Less than this is carried over to the next turn: a timer for every small read would cost more than the read. */
const worthReset = 1;

/** Counts work that was done at once, such as a read, to the stretch that all such work shares. */
export function spendTurn(milliseconds: number): void {
  spent += milliseconds;
  if (spent < worthReset || isResetScheduled) return;
  isResetScheduled = true;
  setImmediate(resetSpent);
}

/** Whether such work should wait for a later turn of the event loop. */
export function isTurnSpent(): boolean {
  return spent >= stretch;
}

function resetSpent(): void {
  isResetScheduled = false;
  spent = 0;
}

const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * Calls `work` in a later turn of the event loop. All that waits shares one stretch a turn: many busy streams together hold up the
 * others no longer than one does.
 */
export function inLaterTurn(work: () => void): void {
  waiting.push(work);
  schedule();
}

/** Resolves in a later turn of the event loop. */
export function giveLoopBack(): Promise<void> {
  return new Promise(inLaterTurn);
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(workOnWaiting);
}

function workOnWaiting(): void {
  isScheduled = false;
  isLoopHeld();
  try {
    // What is added meanwhile waits for the next turn.
    for (let due = waiting.length; due > 0; due--) {
      waiting.shift()?.();
      if (isLoopHeld()) break;
    }
  } finally {
    if (waiting.length > 0) schedule();
  }
}

/** Work that can be interrupted where it yields. */
export type Steps<Result> = Generator<void, Result, void>;

/** How many entries of a list are handled between two steps. */
export const entriesOfStep = 64;

/** Does the work, and gives the event loop back while it is long. Short work is done when this returns. */
export function paced<Result>(steps: Steps<Result>): Result | Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (isLoopHeld()) return goOn(steps);
  }
}

async function goOn<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    if (isLoopHeld()) await giveLoopBack();
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does the work at once. */
export function finished<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
