import type { AnswerIdForm } from "../../turn/index.ts";

/**
 * A response id is ours and new each time. If a Responses provider stores the response, the provider's id is appended, so that a
 * later `previous_response_id` finds it without any state here.
 */
export const responseIdForm: AnswerIdForm = { prefix: "resp", separator: "_", carriesUpstream: true };

const ours = /^resp_[0-9a-f]{32}(?:_(.+))?$/;

/** The provider's id inside one of ours; `undefined` if ours has none. Any other id is assumed to be the provider's. */
export function upstreamResponseId(id: string): string | undefined {
  const match = ours.exec(id);
  return match ? match[1] : id;
}
