import { type CallKind, type Foreign, givenBack, type JsonObject } from "../../turn/index.ts";

/** A call as the client gets it: both ids, always. This is the only place that makes one. */
export interface CallForClient {
  kind: CallKind;
  id: string;
  callId: string;
  name: string;
  arguments: string;
  /** Fields that pass through unread, such as `namespace`. */
  more?: Foreign | undefined;
}

export function callItem(call: CallForClient, status: "in_progress" | "completed"): JsonObject {
  const { kind, id, callId, name, arguments: text } = call;
  const more = givenBack(call.more, "responses");
  // A custom call has no status in the API, and a provider that gets one back may refuse it.
  return kind === "function"
    ? { ...more, type: "function_call", id, call_id: callId, name, arguments: text, status }
    : { ...more, type: "custom_tool_call", id, call_id: callId, name, input: text };
}
