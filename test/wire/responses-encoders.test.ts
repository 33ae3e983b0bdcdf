import { describe, expect, it } from "vitest";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import { responsesCodec } from "../../src/wire/responses/index.ts";
import type { ResponsesStream } from "../support/responses-stream.ts";
import { expectOutput, hello, helloItem, messageItem, outputText, responsesStream, rome, romeItem } from "./checked.ts";
import {
  annotation,
  call,
  extra,
  gatewayCall,
  message,
  opaque,
  reasoning,
  refusal,
  type Step,
  streamed,
  text,
} from "./encoders.ts";

/** The events' names without `response.`, and without those of the stream's beginning. */
function types(read: ResponsesStream): string[] {
  return read.events.slice(2).map(({ type }) => String(type).replace("response.", ""));
}

function ofType(read: ResponsesStream, type: string): JsonObject[] {
  return read.events.filter((event) => event.type === `response.${type}`);
}

function expectBoth(steps: Step[], output: JsonObject[]): void {
  expectOutput({ steps }, output);
}

describe("the instructions of a request on Responses", () => {
  it("are repeated by every response object, unless they are very long", () => {
    const repeated = (instructions: string) => {
      const [created] = ofType(responsesStream({ steps: hello, request: { instructions } }), "created");
      return isObject(created?.response) ? created.response.instructions : undefined;
    };
    expect(repeated("Be brief.")).toBe("Be brief.");
    expect(repeated("x".repeat(2 * 1024 * 1024))).toBeNull();
  });
});

describe("messages on Responses", () => {
  it("are added, grow by deltas, and are done", () => {
    expect(types(responsesStream({ steps: hello }))).toEqual([
      ...["output_item.added", "content_part.added", "output_text.delta", "output_text.delta"],
      ...["output_text.done", "content_part.done", "output_item.done", "completed"],
    ]);
    expectBoth(hello, [helloItem]);
  });

  it("stay two where the model spoke twice, in one round or in two", () => {
    const bye = message("msg_2", ["Bye."]);
    expectBoth([...hello, ...bye], [helloItem, messageItem("msg_2", [outputText("Bye.")])]);
    expectBoth([...hello, "next round", ...bye], [helloItem, messageItem("msg_2", [outputText("Bye.")])]);
  });

  it("have a part for text and one for a refusal, in the order in which they come", () => {
    const steps = message("msg_1", ["Well, ", "no.", refusal("I can"), refusal("not."), "Sorry."]);
    expectBoth(steps, [
      messageItem("msg_1", [outputText("Well, no."), { type: "refusal", refusal: "I cannot." }, outputText("Sorry.")]),
    ]);
  });

  it("have their annotations as events and in the part", () => {
    const [first, second] = ["a", "b"].map((url) => ({ type: "url_citation", url }));
    if (!first || !second) throw new Error("two annotations are needed");
    const steps = message("msg_1", ["See.", annotation(first), " And.", annotation(second)]);
    expect(ofType(responsesStream({ steps }), "output_text.annotation.added")).toMatchObject([
      { item_id: "msg_1", content_index: 0, annotation_index: 0, annotation: first },
      { item_id: "msg_1", content_index: 0, annotation_index: 1, annotation: second },
    ]);
    expectBoth(steps, [messageItem("msg_1", [outputText("See. And.", { annotations: [first, second] })])]);
    expectBoth(message("msg_1", [annotation(first)]), [
      messageItem("msg_1", [outputText("", { annotations: [first] })]),
    ]);
  });

  it("have their log probabilities in the deltas, at the end of the text and in the part", () => {
    const logprobs = ["Hel", "lo."].map((token) => ({ token, logprob: -0.1, bytes: [], top_logprobs: [] }));
    const steps = message(
      "msg_1",
      logprobs.map((each) => text(each.token, [each])),
    );
    const read = responsesStream({ steps });
    expect(ofType(read, "output_text.delta").map((event) => event.logprobs)).toEqual(logprobs.map((each) => [each]));
    expect(ofType(read, "output_text.done")).toMatchObject([{ text: "Hello.", logprobs }]);
    expectBoth(steps, [messageItem("msg_1", [outputText("Hello.", { logprobs })])]);
  });

  it("that a call follows are commentary, unless their provider says what they are", () => {
    const extensions = { format: "responses", fields: { phase: "final_answer" } };
    expectBoth(message("msg_1", ["Hello."], { isCommentary: true }), [{ ...helloItem, phase: "commentary" }]);
    expectBoth(message("msg_1", ["Hello."], { isCommentary: true, extensions }), [
      { ...helloItem, phase: "final_answer" },
    ]);
    expectBoth(message("msg_1", ["Hello."], { extensions: { ...extensions, format: "chat" } }), [helloItem]);
  });

  it("have no place for fields of another API", () => {
    expectBoth([extra({ audio: {} }), ...hello, extra({ secret: 1 })], [helloItem]);
    expectBoth([...hello.slice(0, 2), extra({ audio: {} }), ...hello.slice(2)], [helloItem]);
  });

  it("may have nothing in them", () => {
    expectBoth(message("msg_1", []), [messageItem("msg_1", [])]);
  });
});

describe("reasoning on Responses", () => {
  const summary = ["Where?", "There."].map((words) => ({ type: "summary_text", text: words }));
  const item = { type: "reasoning", id: "rs_1", summary, status: "completed" };

  it("has its parts one after the other", () => {
    const steps = reasoning("rs_1", [["Whe", "re?"], ["There."]]);
    expect(types(responsesStream({ steps }))).toEqual([
      "output_item.added",
      ...["part.added", "text.delta", "text.delta", "text.done", "part.done"].map(
        (type) => `reasoning_summary_${type}`,
      ),
      ...["part.added", "text.delta", "text.done", "part.done"].map((type) => `reasoning_summary_${type}`),
      ...["output_item.done", "completed"],
    ]);
    expectBoth(steps, [item]);
  });

  it("has what is encrypted, where there is something, and no null otherwise", () => {
    expectBoth(reasoning("rs_1", [["Where?"], ["There."]], "c2VjcmV0"), [{ ...item, encrypted_content: "c2VjcmV0" }]);
    expectBoth(reasoning("rs_1", [], "c2VjcmV0"), [{ ...item, summary: [], encrypted_content: "c2VjcmV0" }]);
    expect(streamed(responsesCodec, { steps: reasoning("rs_1", []) })).not.toContain("encrypted_content");
  });

  it("counts its parts from 0, whatever the backend's numbers are", () => {
    const steps = [...reasoning("rs_1", [[], [], ["Where?"], [], ["There."]]), ...reasoning("rs_2", [[], ["Hm."]])];
    const added = ofType(responsesStream({ steps }), "reasoning_summary_part.added");
    expect(added.map((event) => [event.item_id, event.summary_index])).toEqual([
      ["rs_1", 0],
      ["rs_1", 1],
      ["rs_2", 0],
    ]);
  });
});

describe("calls on Responses", () => {
  it("have their arguments as deltas, at their end with the name, and in the item", () => {
    const read = responsesStream({ steps: rome });
    expect(types(read)).toEqual([
      ...["output_item.added", "function_call_arguments.delta", "function_call_arguments.delta"],
      ...["function_call_arguments.done", "output_item.done", "completed"],
    ]);
    expect(ofType(read, "function_call_arguments.done")).toMatchObject([
      { name: "get_weather", arguments: '{"city":"Rome"}' },
    ]);
    expectBoth(rome, [romeItem]);
  });

  it("of a custom tool have an input and no status", () => {
    const steps = call(1, "apply_patch", ["*** Be", "gin"], { kind: "custom" });
    expect(types(responsesStream({ steps })).slice(1, 4)).toEqual([
      ...["custom_tool_call_input.delta", "custom_tool_call_input.delta", "custom_tool_call_input.done"],
    ]);
    expectBoth(steps, [
      { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "apply_patch", input: "*** Begin" },
    ]);
  });

  it.each<[string, JsonObject]>([
    ['{"query":"mail","limit":2}', { query: "mail", limit: 2 }],
    ['"mail"', { query: "mail" }],
    ["mail", { query: "mail" }],
    [" ", {}],
  ])("of a search have no events for arguments, and %j as a value", (written, value) => {
    const steps = call(1, "tool_search", [written], { kind: "search" });
    expect(types(responsesStream({ steps }))).toEqual(["output_item.added", "output_item.done", "completed"]);
    const item = { type: "tool_search_call", id: "tsc_1", call_id: "call_1", execution: "client" };
    expectBoth(steps, [{ ...item, arguments: value, status: "completed" }]);
  });

  it("have the namespace of their tool, and the fields of a Responses provider that pass through unread", () => {
    const fields = { caller: "x" };
    const own = call(1, "get_weather", ['{"city":"Rome"}'], {
      namespace: "travel",
      extensions: { format: "responses", fields },
    });
    const foreign = call(2, "f", ["{}"], { extensions: { format: "chat", fields } });
    expectBoth(
      [...own, ...foreign],
      [
        { ...romeItem, caller: "x", namespace: "travel" },
        { ...romeItem, id: "fc_2", call_id: "call_2", name: "f", arguments: "{}" },
      ],
    );
  });

  it("come one after the other, each with an index of its own", () => {
    const steps = [...reasoning("rs_1", [["Hm."]]), ...hello, ...rome, ...call(2, "get_time", ["{}"])];
    const added = ofType(responsesStream({ steps }), "output_item.added");
    expect(added.map((event) => event.output_index)).toEqual([0, 1, 2, 3]);
  });

  it("that the gateway runs are hidden and take no index", () => {
    const hidden = gatewayCall(8, "look_up", ['{"secret":1}'], "a secret result");
    expectBoth([...hidden, "next round", ...hello, ...hidden, "next round", ...rome], [helloItem, romeItem]);
    const shown = streamed(responsesCodec, { steps: [...rome, ...hidden, "keep-alive"], profile: "extended" });
    expect(shown).not.toMatch(/secret|look_up|call_8|fc_8/);
  });
});

describe("items that pass through unread on Responses", () => {
  it("are added and done whole, under the id that they were given", () => {
    const item = { type: "web_search_call", id: "ws_theirs", status: "completed", action: { query: "x" } };
    const steps = [...hello, opaque("ws_1", item)];
    expect(types(responsesStream({ steps })).slice(-3)).toEqual(["output_item.added", "output_item.done", "completed"]);
    expectBoth(steps, [helloItem, { ...item, id: "ws_1" }]);
  });

  it("are left out, and take no index, where they have the form of another API", () => {
    expectBoth([opaque("item_1", { type: "thing" }, "another"), ...hello], [helloItem]);
  });
});
