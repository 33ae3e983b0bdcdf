import { isObject, type JsonObject, type JsonValue } from "../../../src/turn/index.ts";
import type { RecordedLine } from "./client.ts";

/** What is said, a short line a message: the method, and of what kind its item or status is; for an answer the method it answers. */
export function outline(said: readonly JsonObject[], recording: readonly RecordedLine[]): string[] {
  const asked = new Map(recording.filter(({ from }) => from === "client").map(({ msg }) => [msg.id, msg.method]));
  return said.map(({ id, method, params, error }) => {
    if (method === undefined) return `answer to ${asked.get(id)}${isObject(error) ? `: ${error.message}` : ""}`;
    const { item, status, turn, willRetry } = isObject(params) ? params : {};
    const kinds = [
      isObject(item) ? [item.type, item.role, item.status] : [],
      isObject(status) ? status.type : [],
      isObject(turn) ? turn.status : [],
      willRetry === true ? "will retry" : [],
    ];
    return [method, ...kinds.flat()].filter((word) => word !== undefined).join(" ");
  });
}

/** The answers apart: the real program does not promise where among the notifications they come. */
export function withoutAnswers(lines: readonly string[]): string[] {
  return lines.filter((line) => !line.startsWith("answer to "));
}

/** Fields that one message has and the other lacks, or has as something else, as paths. */
export function missingFields(recorded: JsonValue | undefined, said: JsonValue | undefined, path = ""): string[] {
  if (Array.isArray(recorded)) {
    if (!Array.isArray(said) || said.length < recorded.length) return [path];
    return recorded.flatMap((each, index) => missingFields(each, said[index], `${path}[${index}]`));
  }
  if (isObject(recorded)) {
    if (!isObject(said)) return [path];
    return Object.entries(recorded).flatMap(([key, value]) => missingFields(value, said[key], `${path}.${key}`));
  }
  return said !== undefined && typeof recorded === typeof said ? [] : [path];
}
