import { readFileSync } from "node:fs";
import * as raw from "./raw.mjs";

const folder = new URL("../../backends/codex/recordings/", import.meta.url);

/** A recording: all of its lines, and its turn as a beginning in some order and a body. */
export function readRecording(name) {
  const text = readFileSync(new URL(`${name}.jsonl`, folder), "utf8");
  const lines = text.split("\n").filter(Boolean);
  const messages = lines.map((line) => JSON.parse(line));
  const start = messages.findIndex(({ from, msg }) => from === "client" && msg.method === "turn/start");
  const end = messages.findIndex(({ msg }) => msg.method === "turn/completed");
  const turn = start < 0 ? [] : messages.slice(start + 1, end + 1);
  const opening = [];
  const body = turn.filter(({ msg }) => {
    const part = openingPart(msg, messages[start].msg.id);
    if (part === undefined || (part !== "userMessage" && opening.includes(part))) {
      // Of the thread it was told when that was started; the recording's client was quicker.
      return msg.method !== "thread/started";
    }
    opening.push(part);
    return false;
  });
  return { messages, opening: [...new Set([...opening, "userMessage"])], body };
}

/** Says again what was recorded of a turn, under the ids of this one. After an interrupt the turn ends as the real one does. */
export async function play(turn, { body }, pace) {
  const lines = turn.hasRawEvents && !body.some(isRaw) ? withRawEvents(body) : body;
  const items = new Map();
  const replies = new Map();
  const ids = new Map();
  let before = lines[0]?.t_ms ?? 0;
  for (const [index, line] of lines.entries()) {
    const { from, msg, t_ms } = line;
    if (from === "client") {
      if (msg.method === "turn/interrupt") await turn.until(new Promise(() => {}));
      else if (!msg.method) await turn.until(replies.get(msg.id));
      continue;
    }
    if (isRaw(line) && !turn.hasRawEvents) continue;
    // What came together comes together again.
    if (t_ms - before > 1) await turn.pause(pace === "recorded" ? t_ms - before : pace);
    before = t_ms;
    const { threadId, turnId, ...params } = msg.params;
    if (params.item) items.set(params.item.id, params.item);
    if (msg.method === "item/tool/call") {
      if (isLastCall(lines, index)) turn.owe(costBehind(lines, index));
      const reply = turn.call(items.get(params.callId));
      // An interrupt is heard by the line that waits.
      reply.catch(() => {});
      replies.set(msg.id, reply);
    } else if (msg.id !== undefined) {
      const { id, reply } = turn.ask(msg.method, params);
      ids.set(msg.id, id);
      replies.set(msg.id, reply);
    } else if (msg.method === "serverRequest/resolved")
      turn.notify(msg.method, { requestId: ids.get(params.requestId) });
    else if (msg.method === "thread/status/changed") turn.changeStatus(params.status);
    else if (msg.method === "turn/completed") turn.end(params.turn.status, params.turn);
    else if (msg.method === "account/rateLimits/updated") turn.server.notify(msg.method, params);
    else turn.notify(msg.method, params);
  }
}

/** The parts of a turn's beginning, which come in more than one order. */
function openingPart({ id, method, params, result }, startId) {
  if (id === startId && result) return "reply";
  if (method === "warning" || method === "turn/started") return method;
  if (method === "thread/status/changed" && params.status.type === "active") return method;
  const isUser = params?.item?.type === "userMessage";
  const isRawUser = method === "rawResponseItem/completed" && params.item.role === "user" && !isAborted(params.item);
  return isUser || isRawUser ? "userMessage" : undefined;
}

function isAborted({ content }) {
  return content[0].text.startsWith("<turn_aborted>");
}

function isRaw({ msg }) {
  return /^rawResponse/.test(msg.method ?? "");
}

/**
 * Most turns were recorded without raw events. This is where e11, the one that has them, and Codex's source put them: a call
 * before its item is started, the end of a response behind its last item and before the last call is asked for.
 */
function withRawEvents(lines) {
  const made = (method, params, { t_ms }) => ({ t_ms, from: "server", msg: { method, params } });
  return lines.flatMap((line, index) => {
    const { method, params } = line.msg;
    const item = (each) => made("rawResponseItem/completed", { item: each }, line);
    const completed = (usage) => made("rawResponse/completed", { responseId: `resp_${index}`, usage }, line);
    if (method === "item/started" && params.item.type === "dynamicToolCall") {
      const { id, tool: name, namespace, arguments: given } = params.item;
      const call = item(raw.functionCall({ id, name, namespace, arguments: JSON.stringify(given) }));
      return isLastCall(lines, index) ? [call, completed(costBehind(lines, index)), line] : [call, line];
    }
    if (method === "item/completed" && params.item.type === "dynamicToolCall") {
      const { id, contentItems } = params.item;
      return [line, item(raw.callOutput(id, contentItems.map(({ text }) => text).join("")))];
    }
    if (method === "item/completed" && params.item.type === "agentMessage")
      return [line, item(raw.message(params.item))];
    if (method === "item/completed" && params.item.type === "reasoning")
      return [line, item(raw.reasoning(params.item))];
    if (method !== "thread/tokenUsage/updated") return [line];
    const { last } = params.tokenUsage;
    // What is told of a response that did not end is no cost of it.
    const ends = last.inputTokens > 0 && !hasCalls(lines, index);
    return ends ? [completed(last), line] : [line];
  });
}

const isCall = ({ msg }) => msg.method === "item/started" && msg.params.item.type === "dynamicToolCall";
const isCost = ({ msg }) => msg.method === "thread/tokenUsage/updated";

function isLastCall(lines, index) {
  const rest = lines.slice(index + 1);
  const end = rest.findIndex(isCost);
  return !rest.slice(0, end < 0 ? rest.length : end).some(isCall);
}

function costBehind(lines, index) {
  return lines.slice(index).find(isCost)?.msg.params.tokenUsage.last ?? raw.usage(true);
}

/** Whether the response whose cost is told here had calls. */
function hasCalls(lines, index) {
  const before = lines.slice(0, index);
  return before.slice(before.findLastIndex(isCost) + 1).some(isCall);
}
