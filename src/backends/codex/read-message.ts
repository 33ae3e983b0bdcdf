import { isObject, parseJson } from "../../turn/index.ts";
import type { Incoming } from "./protocol.ts";

/**
 * One line of the app-server; nothing where it is no message: a program around it may have words of its own. Throws where a message
 * is broken, for then others may be as well.
 */
export function readMessage(line: string): Incoming | undefined {
  const message = line.startsWith("{") ? parseJson(line) : null;
  if (message === undefined) throw new Error("a message that is not whole");
  if (!isObject(message)) return undefined;
  const { id, method, result, error } = message;
  const params = isObject(message.params) ? message.params : {};
  if (typeof method === "string") {
    if (id === undefined || id === null) return { kind: "notification", method, params };
    return { kind: "request", id, method, params };
  }
  if (typeof id !== "number") return undefined;
  if (error === undefined || error === null) return { kind: "answer", id, result, error: undefined };
  const { code, message: said } = isObject(error) ? error : {};
  return {
    kind: "answer",
    id,
    result: undefined,
    error: { code: typeof code === "number" ? code : 0, message: typeof said === "string" ? said : "no reason given" },
  };
}
