import { fitsStrictTool, strictTool } from "../cases/valid-requests.mjs";
import { checkError } from "./envelope.mjs";

const reasons = ["stop", "length", "tool_calls", "content_filter", "function_call"];

/** A Chat Completions stream: one end, calls in order, and what is done is whole. Gives the name of its end. */
export function checkChatStream(events, finding, { hasStrictTool }) {
  let ending = null;
  let isDone = false;
  const calls = [];
  for (const { done, data } of events) {
    if (isDone) finding("an event behind [DONE]");
    if (done) {
      isDone = true;
      continue;
    }
    if ("error" in data) {
      checkError(data.error, finding, "error chunk");
      if (ending !== null) finding(`an error behind the end ${ending}`);
      ending = `error ${data.error?.code}`;
      continue;
    }
    if (data.object !== "chat.completion.chunk" || !Array.isArray(data.choices)) {
      finding("a chunk that is none");
      continue;
    }
    if (data.choices.length > 1) finding("a chunk with several choices");
    for (const { delta = {}, finish_reason } of data.choices) {
      if (ending !== null) finding(`a choice behind the end ${ending}`);
      for (const call of delta.tool_calls ?? []) addCall(calls, call, finding);
      if (finish_reason === null) continue;
      if (!reasons.includes(finish_reason)) finding(`finish_reason ${JSON.stringify(finish_reason)}`);
      ending = finish_reason;
    }
  }
  if (ending === null) finding("the stream has no end");
  if (!isDone) finding("the stream has no [DONE]");
  if (ending === "tool_calls" && calls.length === 0) finding("the end tool_calls without a call");
  if (hasStrictTool && (ending === "tool_calls" || ending === "stop"))
    for (const call of calls) checkCall(call, finding);
  return ending ?? "none";
}

function addCall(calls, { index, id, function: called }, finding) {
  if (index === calls.length) {
    if (typeof id !== "string" || id === "") finding("a call without an id");
    if (calls.some((call) => call.id === id)) finding("two calls with one id");
    calls.push({ id, name: called?.name, text: called?.arguments ?? "" });
  } else if (index === calls.length - 1) {
    calls[index].text += called?.arguments ?? "";
  } else {
    finding(`a piece of call ${index} behind ${calls.length} calls`);
  }
}

function checkCall({ name, text }, finding) {
  if (name === strictTool && !fitsStrictTool(text))
    finding(`the arguments of a strict call do not fit: ${text.slice(0, 100)}`);
}

/** A whole Chat Completions answer. */
export function checkChatWhole(body, finding, { hasStrictTool }) {
  const choice = body.choices?.[0];
  if (body.object !== "chat.completion" || body.choices?.length !== 1 || typeof choice?.message !== "object") {
    finding("a whole answer that is none");
    return "none";
  }
  if (!reasons.includes(choice.finish_reason)) finding(`finish_reason ${JSON.stringify(choice.finish_reason)}`);
  const calls = (choice.message.tool_calls ?? []).map(({ id, function: called }) => ({
    id,
    name: called?.name,
    text: called?.arguments,
  }));
  if (new Set(calls.map(({ id }) => id)).size !== calls.length) finding("two calls with one id");
  if (choice.finish_reason === "tool_calls" && calls.length === 0) {
    finding("the end tool_calls without a call");
  }
  if (hasStrictTool) for (const call of calls) checkCall(call, finding);
  return choice.finish_reason;
}
