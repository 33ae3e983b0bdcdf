import { checkChatStream, checkChatWhole } from "./chat.mjs";
import { checkError } from "./envelope.mjs";
import { parseAnswers } from "./http.mjs";
import { findLeaks } from "./leaks.mjs";
import { checkResponsesStream, checkResponsesWhole } from "./responses.mjs";
import { parseEvents } from "./sse.mjs";

/** Node has no longer strings than about 512 MB; a longer answer is checked at its end alone. */
const mostText = 400_000_000;

/** What the gateway answered in a case, and what is wrong with it. */
export function checkExchange(request, { bytes, how }) {
  const findings = [];
  const finding = (text) => findings.push(text);
  const { answers, rest } = parseAnswers(bytes, request.isHead);
  const final = answers.filter(({ status }) => status >= 200);
  const hasLeft = how === "left";
  findings.push(...findLeaks(bytes.toString("latin1", Math.max(0, bytes.length - mostText)), "answer"));
  // What cannot be read as a request is not known to be a HEAD.
  const isReadable = request.isWellFormed || !request.isHead;
  if (rest.length > 0 && !hasLeft && isReadable) finding(`${rest.length} bytes that are no answer`);
  if (request.isWellFormed && !hasLeft) {
    if (final.length === 0) finding(`no answer (${how})`);
    if (final.length > 1) finding(`${final.length} answers to one request`);
  }
  const endings = final.map((answer, index) => {
    const isLast = index === final.length - 1;
    if (!answer.isWhole) {
      // A client that was impatient or went away has not seen the end; one that got a reset has.
      if (!hasLeft && !(isLast && how === "silence" && !request.isWellFormed))
        finding(`${answer.status}: the answer is cut (${how})`);
      return "cut";
    }
    return checkAnswer(answer, request, finding);
  });
  return { statuses: final.map(({ status }) => status), endings, findings };
}

function checkAnswer({ status, headers, body }, request, finding) {
  const type = headers.get("content-type") ?? "";
  if (status === 500) finding("status 500");
  if (request.isHead || status === 204 || status === 304) return "empty";
  if (body.length > mostText) {
    if (!body.subarray(-20).toString("latin1").endsWith("data: [DONE]\n\n")) finding("the stream has no [DONE]");
    return "too long to be read";
  }
  const text = decode(body, finding);
  if (type.startsWith("text/event-stream")) return checkStream(text, request, finding);
  if (status < 400 && !type.startsWith("application/json")) return "page";
  const json = parse(text);
  if (json === undefined) {
    finding(`${status}: the body is not JSON: ${JSON.stringify(text.slice(0, 80))} (${type})`);
    return "none";
  }
  if (status >= 400) {
    // What is not ready says so in the form of /ready.
    if (status === 503 && json.status === "not ready") return "not ready";
    if (Object.keys(json).join() !== "error")
      finding(`${status}: the body's keys are ${Object.keys(json).join(", ").slice(0, 80)}`);
    checkError(json.error, finding, String(status));
    return `error ${json.error?.code}`;
  }
  const facts = { hasStrictTool: request.isValid === true && "tools" in request.body };
  if (json.object === "chat.completion") return checkChatWhole(json, finding, facts);
  if (json.object === "response") return checkResponsesWhole(json, finding, facts);
  if (request.isValid) finding("a whole answer that is none");
  return "other";
}

function checkStream(text, request, finding) {
  const events = parseEvents(text, finding);
  const facts = { hasStrictTool: request.isValid === true && "tools" in request.body };
  // A changed request may have gone to the other API.
  const isResponses = request.isValid ? request.api === "responses" : text.startsWith("event: ");
  return isResponses ? checkResponsesStream(events, finding, facts) : checkChatStream(events, finding, facts);
}

function decode(body, finding) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    finding("the body is not UTF-8");
    return body.toString("utf8");
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
