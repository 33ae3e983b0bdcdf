import { type ArgumentChecks, demandsCall } from "../../tools/index.ts";
import type { TurnListener } from "../../turn/index.ts";
import type { BackendRequest, Candidate } from "../candidate.ts";
import { orderItems } from "../settle/index.ts";
import { boundAnswer } from "./bounds.ts";
import { keepChoice } from "./choice.ts";
import { Cutoff } from "./cutoff.ts";
import { holdWords } from "./hold.ts";
import { mendArguments } from "./mend.ts";
import { recoverCalls } from "./recover.ts";
import { offeredNames, restoreTools } from "./restore-tools.ts";
import type { Stage } from "./stage.ts";
import { keepStrict } from "./strict.ts";

/** The stages that the events of a round pass before they are settled, in this order. */
export function stagesOf(
  { turn, prompted, recovery, adapter }: BackendRequest,
  { backend, repair, reask }: Candidate,
  checks: ArgumentChecks,
  listener: TurnListener,
): Stage[] {
  const isWhole = !turn.stream && !backend.capabilities.alwaysStreams;
  const cutoff = prompted ? new Cutoff(turn, listener, isWhole) : undefined;
  // Text that was sent cannot be taken back if the demanded call does not come.
  const holds = reask > 0 && demandsCall(turn.choice);
  return [
    cutoff?.noticeEnd,
    recoverCalls(turn, recovery, listener, turn.stream && !holds),
    cutoff?.stage,
    boundAnswer(listener),
    adapter ? offeredNames(adapter) : undefined,
    keepChoice(turn, listener),
    repair ? mendArguments(turn) : undefined,
    orderItems(listener),
    keepStrict(turn, checks, listener),
    adapter ? restoreTools(adapter, turn.stream) : undefined,
    holds ? holdWords() : undefined,
  ].filter((stage) => stage !== undefined);
}
