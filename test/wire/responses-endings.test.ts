import { describe, expect, it } from "vitest";
import { isObject, parseJson, TurnError } from "../../src/turn/index.ts";
import { decodeResponsesRequest } from "../../src/wire/responses/decode.ts";
import { responsesCodec } from "../../src/wire/responses/index.ts";
import { endedState, ResponseWriter } from "../../src/wire/responses/response-object.ts";
import { objectsOf } from "../support/folded.ts";
import { expectOutput, hello, helloItem, messageItem, outputText, responsesStream, rome, romeItem } from "./checked.ts";
import { answerId, callStarted, failed, failure, finished, message, now, type Step, usage, whole } from "./encoders.ts";

describe("the end of a Responses answer", () => {
  it.each([
    ["length", "max_output_tokens"],
    ["content_filter", "content_filter"],
  ] as const)("is incomplete at `%s`, and its last message too", (reason, told) => {
    const scene = { steps: message("msg_1", ["Hel"], { status: "incomplete" }), ending: finished(reason) };
    expectOutput(scene, [messageItem("msg_1", [outputText("Hel")], { status: "incomplete" })]);
    const wanted = { status: "incomplete", incomplete_details: { reason: told }, completed_at: null };
    expect(responsesStream(scene).terminal).toMatchObject(wanted);
    expect(whole(responsesCodec, scene)).toMatchObject(wanted);
  });

  it("leaves a call that stops in the middle open, and out of the output", () => {
    const steps: Step[] = [...rome, callStarted(2, "get_time"), { type: "call.arguments", delta: '{"zo' }];
    const scene = { steps, ending: finished("length") };
    expectOutput(scene, [romeItem]);
    expect(responsesStream(scene).open).toMatchObject({ call_id: "call_2", status: "in_progress" });
  });

  it("is an error and a failed response where the turn fails in the stream", () => {
    const steps = [...rome, ...hello.slice(0, -1)];
    const { terminal, error, text: shown, ended } = responsesStream({ steps, ending: { ...failed, usage } });
    expect({ error, shown, ended }).toEqual({ error: failure.body, shown: "Hello.", ended: "failed" });
    expect(terminal).toMatchObject({
      output: [romeItem],
      error: { code: "upstream_cut", message: failure.message },
      usage: { total_tokens: 18 },
    });
  });

  it("was at the time that is stored, however long storing takes", () => {
    const request = decodeResponsesRequest({ model: "m", input: "Hello" }, { toolOutput: 1000 });
    const writer = new ResponseWriter(request, { id: answerId, model: "m", createdAt: now, isKept: () => true });
    const stored = writer.describe(finished(), now);
    const told = writer.write(endedState(finished(), [], now + 2));
    expect(parseJson(stored)).toMatchObject({ completed_at: now });
    expect(parseJson(told)).toMatchObject({ completed_at: now });
    expect(parseJson(writer.write({ status: "in_progress", output: [] }))).toMatchObject({ completed_at: null });
  });

  it("gives an error without a code one where the API wants it", () => {
    const error = new TurnError("upstream_rejected", "No.", { param: "input", upstreamCode: null });
    const read = responsesStream({ steps: [], ending: { type: "turn.failed", error } });
    expect(read.error).toMatchObject({ code: null, param: "input" });
    expect(read.terminal?.error).toEqual({ code: "server_error", message: "No." });
  });

  it("has usage with all its details, and says whether the model wants to go on", () => {
    const scene = { steps: hello, ending: finished("stop", { usage, endTurn: false }) };
    const wanted = {
      status: "completed",
      completed_at: now,
      end_turn: false,
      usage: {
        ...{ input_tokens: 11, output_tokens: 7, total_tokens: 18 },
        input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
        output_tokens_details: { reasoning_tokens: 5 },
      },
    };
    expect(responsesStream(scene).terminal).toMatchObject(wanted);
    expect(whole(responsesCodec, scene)).toMatchObject(wanted);
    expect(responsesStream({ steps: hello }).terminal).toMatchObject({ usage: null });
  });

  it("repeats the request, and is the same object streamed and whole", () => {
    const tools = [{ type: "function", name: "get_weather", parameters: { type: "object" } }];
    const request = { tools, instructions: "Be brief.", temperature: 0.5, metadata: { a: "b" }, max_output_tokens: 9 };
    const scene = { steps: rome, request, ending: finished("stop", { usage }) };
    const answer = whole(responsesCodec, scene);
    expect(answer).toMatchObject({
      ...request,
      tools: [tools[0]],
      id: answerId,
      model: "m",
      created_at: now - 3,
      completed_at: now,
    });
    expect(responsesStream(scene).terminal).toEqual(answer);
  });
});

describe("a Responses stream", () => {
  it("opens with the response, which has nothing in it yet", () => {
    const events = responsesStream({ steps: hello }).events.slice(0, 2);
    expect(events.map(({ type }) => type)).toEqual(["response.created", "response.in_progress"]);
    for (const { response } of events)
      expect(response).toMatchObject({ id: answerId, status: "in_progress", output: [] });
  });

  it("waits with an event, not a comment, which has the items that are done", () => {
    const steps: Step[] = ["keep-alive", ...hello, ...rome.slice(0, 2), "keep-alive", ...rome.slice(2)];
    const { comments, events } = responsesStream({ steps });
    expect(comments).toBe(0);
    const waiting = events.slice(2).filter(({ type }) => type === "response.in_progress");
    const outputs = waiting.map(({ response }) => objectsOf(isObject(response) ? response.output : undefined));
    expect(outputs).toEqual([[], [helloItem]]);
  });

  it("numbers its events from 0 without a gap, keep-alives and the error too", () => {
    const steps: Step[] = ["keep-alive", ...hello, "keep-alive", ...rome];
    for (const profile of ["openai", "extended"] as const) {
      const numbers = responsesStream({ steps, ending: failed, profile }).events.map((event) => event.sequence_number);
      expect(numbers).toEqual(numbers.map((_, index) => index));
    }
  });
});
