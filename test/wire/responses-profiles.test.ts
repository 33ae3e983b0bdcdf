import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isObject, type JsonObject, parseJson } from "../../src/turn/index.ts";
import { responsesCodec } from "../../src/wire/responses/index.ts";
import { anyScene } from "./any-scene.ts";
import { responsesStream, rome } from "./checked.ts";
import { call, callStarted, failed, finished, framesOf, message, type Scene, type Step, whole } from "./encoders.ts";

function eventsOf(scene: Scene): JsonObject[] {
  return framesOf(responsesCodec, scene).map(({ json }) => {
    const event = parseJson(json);
    return isObject(event) ? event : {};
  });
}

const own = /^response\.(?:output_tool_call\.|done$)/;
const isOwn = ({ type }: JsonObject) => own.test(String(type));
const at = { item_id: "fc_1", output_index: 0 };
const names = { call_id: "call_1", name: "get_weather" };

describe("the profile `extended`", () => {
  it("tells a call by begin, delta and end beside the standard events", () => {
    const { events } = responsesStream({ steps: rome, profile: "extended" });
    expect(events.filter(isOwn)).toMatchObject([
      { type: "response.output_tool_call.begin", ...at, ...names },
      { type: "response.output_tool_call.delta", ...at, delta: '{"city":' },
      { type: "response.output_tool_call.delta", ...at, delta: '"Rome"}' },
      { type: "response.output_tool_call.end", ...at, ...names, arguments: '{"city":"Rome"}' },
      { type: "response.done" },
    ]);
  });

  it.each(["custom", "search"] as const)("does so for a %s call too", (kind) => {
    const types = eventsOf({ steps: call(1, "f", ["{", "}"], { kind, namespace: "n" }), profile: "extended" }).filter(
      isOwn,
    );
    expect(types.map(({ type }) => String(type).split(".").at(-1))).toEqual(["begin", "delta", "delta", "end", "done"]);
    expect(types[0]).toMatchObject({ call_id: "call_1", name: "f", namespace: "n" });
    expect(types[3]).toMatchObject({ call_id: "call_1", name: "f", arguments: "{}" });
  });

  it("does not end a call that stops in the middle", () => {
    const steps: Step[] = [callStarted(1, "f"), { type: "call.arguments", delta: '{"a' }];
    const types = responsesStream({ steps, ending: finished("length"), profile: "extended" }).events.filter(isOwn);
    expect(types.map(({ type }) => String(type).split(".").at(-1))).toEqual(["begin", "delta", "done"]);
  });

  it.each([finished(), finished("length"), failed])(
    "closes with `response.done`, the terminal response again: %j",
    (ending) => {
      const { events, terminal } = responsesStream({ steps: message("msg_1", ["Hi."]), ending, profile: "extended" });
      expect(events.at(-1)).toMatchObject({ type: "response.done", response: terminal });
    },
  );

  it("changes nothing but what it adds", () => {
    fc.assert(
      fc.property(anyScene({ search: false }), (scene) => {
        const unnumbered = (events: JsonObject[]) =>
          events.map(({ sequence_number: _number, item_id: _id, ...event }) => event);
        const extended = eventsOf({ ...scene, profile: "extended" });
        expect(unnumbered(extended.filter((event) => !isOwn(event)))).toEqual(unnumbered(eventsOf(scene)));
      }),
    );
  });

  it("is the same as `openai` where the answer comes in one piece", () => {
    expect(whole(responsesCodec, { steps: rome, profile: "extended" })).toEqual(whole(responsesCodec, { steps: rome }));
  });
});

describe("the profile `openai`", () => {
  it("has no event of the convention, and no `call_id` beside arguments", () => {
    const { events } = responsesStream({ steps: rome });
    expect(events.filter(isOwn)).toEqual([]);
    const inside = events.filter(({ type }) => String(type).startsWith("response.function_call_arguments."));
    expect(inside).toHaveLength(3);
    for (const event of inside) expect(event).not.toHaveProperty("call_id");
  });
});
