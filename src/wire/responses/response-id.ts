import type { AnswerIdForm } from "../../turn/index.ts";

/**
 * A response's id is ours and new each time; where a Responses provider keeps the response, its own id stands at the end, so
 * that a later `previous_response_id` finds it there without anything kept here.
 */
export const responseIdForm: AnswerIdForm = { prefix: "resp", separator: "_", carriesUpstream: true };

const ours = /^resp_[0-9a-f]{32}(?:_(.+))?$/;

/** The provider's id in one of ours; `undefined` where ours has none; any other id is taken to be the provider's. */
export function upstreamResponseId(id: string): string | undefined {
  const match = ours.exec(id);
  return match ? match[1] : id;
}
