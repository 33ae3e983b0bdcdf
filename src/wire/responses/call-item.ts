import { type CallItem, givenBack, isObject, type JsonObject, parseJson } from "../../turn/index.ts";

/** A call as the client receives it. Calls are written only here. */
export function callItem(call: CallItem, status: "in_progress" | "completed"): JsonObject {
  const { kind, id, callId, name, namespace, arguments: text } = call;
  const extensions = givenBack(call.extensions, "responses");
  switch (kind) {
    case "function":
      return { ...extensions, type: "function_call", id, call_id: callId, name, namespace, arguments: text, status };
    case "custom":
      // The API has no status here, and a provider may refuse a call that comes back with one.
      return { ...extensions, type: "custom_tool_call", id, call_id: callId, name, namespace, input: text };
    case "search":
      return { ...extensions, ...searchCall(call), status };
  }
}

/** The only call whose arguments are a JSON value. They are empty until complete. */
function searchCall({ id, callId, arguments: text }: CallItem): JsonObject {
  return { type: "tool_search_call", id, call_id: callId, execution: "client", arguments: searchArguments(text) };
}

/** Codex finds nothing if the arguments are not an object. */
function searchArguments(text: string): JsonObject {
  if (text.trim() === "") return {};
  const value = parseJson(text);
  return isObject(value) ? value : { query: typeof value === "string" ? value : text };
}
