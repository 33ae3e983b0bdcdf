import { isObject, parseJson } from "../../turn/index.ts";
import type { Incoming } from "./protocol.ts";

/**
 * Parses one line of the app-server; `undefined` if it is not a message, because a wrapper program may print its own text. Throws
 * on a broken message, because others may be broken as well.
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
