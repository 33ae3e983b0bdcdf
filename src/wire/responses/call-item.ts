import { type CallItem, givenBack, isObject, type JsonObject, parseJson } from "../../turn/index.ts";

/** A call as the client gets it. This is the only place that makes one. */
export function callItem(call: CallItem, status: "in_progress" | "completed"): JsonObject {
  const { kind, id, callId, name, namespace, arguments: text } = call;
  const extensions = givenBack(call.extensions, "responses");
  switch (kind) {
    case "function":
      return { ...extensions, type: "function_call", id, call_id: callId, name, namespace, arguments: text, status };
    case "custom":
      // It has no status in the API, and a provider that gets one back may refuse it.
      return { ...extensions, type: "custom_tool_call", id, call_id: callId, name, namespace, input: text };
    case "search":
      return { ...extensions, ...searchCall(call), status };
  }
}

/** The one call whose arguments are a value; there are none of them until all are there. */
function searchCall({ id, callId, arguments: text }: CallItem): JsonObject {
  return { type: "tool_search_call", id, call_id: callId, execution: "client", arguments: searchArguments(text) };
}

/** Codex finds nothing by arguments that are no object. */
function searchArguments(text: string): JsonObject {
  if (text.trim() === "") return {};
  const value = parseJson(text);
  return isObject(value) ? value : { query: typeof value === "string" ? value : text };
}
