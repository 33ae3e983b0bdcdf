import { expect } from "vitest";
import type { Answer } from "../support/gateway.ts";
import type { Cell } from "./cells.ts";
import type { Answered, Call, Content, Ending, Failed } from "./fault.ts";

/** Holds an answer to how its turn must end; its form has been checked by then. */
export function checkEnding(answer: Answer, cell: Cell): void {
  const { ends } = cell.fault;
  const ending: Ending = typeof ends === "function" ? ends(cell) : ends;
  if ("either" in ending) {
    if (answer.ended === "failed") checkFailed(answer, cell, { status: answer.status === 504 ? 504 : 502 });
    else checkAnswered(answer, ending.either);
  } else if ("status" in ending) checkFailed(answer, cell, ending);
  else checkAnswered(answer, ending);
}

function checkAnswered(answer: Answer, ending: Answered): void {
  const { status, ended, error } = answer;
  expect({ status, ended, error, ...contentOf(answer) }).toEqual({
    status: 200,
    ended: ending.ended,
    error: null,
    ...expected(ending),
  });
  (ending.calls ?? []).forEach(({ id }, at) => {
    if (id !== undefined) expect(answer.calls[at]?.id).toBe(id);
  });
}

function checkFailed(answer: Answer, cell: Cell, { status, error = {}, after, retryAfter }: Failed): void {
  // Content goes out as it comes; without any, and without a stream, nothing was sent before the failure.
  const inStream = cell.stream && after !== undefined;
  const { text, reasoning, calls } = contentOf(answer);
  expect({ ended: answer.ended, status: answer.status, streamed: answer.streamed, text, reasoning }).toEqual({
    ended: "failed",
    status: inStream ? 200 : status,
    streamed: inStream,
    text: inStream ? (after.text ?? "") : "",
    reasoning: inStream ? (after.reasoning ?? "") : "",
  });
  const whole = inStream ? expected(after).calls : [];
  for (const call of calls) expect(whole).toContainEqual(call);
  for (const [key, value] of Object.entries(error)) {
    const said = answer.error?.[key as keyof typeof answer.error];
    if (value instanceof RegExp) expect(said).toMatch(value);
    else expect({ [key]: said }).toEqual({ [key]: value });
  }
  if (!inStream) expect(answer.headers.get("retry-after")).toBe(retryAfter ?? null);
}

function contentOf({ text, reasoning, refusal, calls }: Answer): Required<Content> & { refusal: string } {
  return { text, reasoning, refusal, calls: calls.map(bare) };
}

function expected({ text = "", reasoning = "", calls = [] }: Content): Required<Content> & { refusal: string } {
  return { text, reasoning, refusal: "", calls: calls.map(bare) };
}

function bare({ name, arguments: text }: Call): Call {
  return { name, arguments: text };
}
