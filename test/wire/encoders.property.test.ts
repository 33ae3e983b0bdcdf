import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonObject, parseJson } from "../../src/turn/index.ts";
import { chatCodec } from "../../src/wire/chat/index.ts";
import { responsesCodec } from "../../src/wire/responses/index.ts";
import { objectsOf } from "../support/folded.ts";
import { checkErrorWhole } from "../support/whole.ts";
import { anyScene } from "./any-scene.ts";
import { chatStream, chatWhole, responsesStream } from "./checked.ts";
import { type Scene, whole } from "./encoders.ts";

describe("a Chat stream, whatever happens in a turn", () => {
  it("says what the whole answer says", () => {
    fc.assert(
      fc.property(anyScene(), (scene) => {
        const read = chatStream(scene, { foreignKeys: ["images", "audio"] });
        if (scene.ending?.type === "turn.failed") {
          const body = parseJson(chatCodec.errorBody(scene.ending.error.body)) ?? null;
          expect(read.error).toEqual(checkErrorWhole(body).error);
          return;
        }
        const { text, reasoning, refusal, annotations, calls, finish } = chatWhole(scene);
        expect(read).toMatchObject({ text, reasoning, refusal, annotations, finish });
        // The checker cannot tell whether the last call of a cut stream is whole.
        const begun = [...read.calls, ...read.unfinished];
        expect(begun.slice(0, calls.length)).toEqual(calls);
        expect(begun.length - calls.length).toBeLessThanOrEqual(finish === "tool_calls" ? 0 : 1);
      }),
    );
  });
});

describe.each(["openai", "extended"] as const)(
  "a stream of the profile `%s`, whatever happens in a turn",
  (profile) => {
    const scenes = anyScene({ search: profile === "openai" }).map((scene): Scene => ({ ...scene, profile }));

    it("is legal, and numbers its events from 0 without a gap", () => {
      fc.assert(
        fc.property(scenes, (scene) => {
          const numbers = responsesStream(scene).events.map((event) => event.sequence_number);
          expect(numbers).toEqual(numbers.map((_, index) => index));
        }),
      );
    });

    it("ends with the response that the whole answer is", () => {
      fc.assert(
        fc.property(scenes, (scene) => {
          const { terminal } = responsesStream(scene);
          if (scene.ending?.type === "turn.finished") expect(terminal).toEqual(whole(responsesCodec, scene));
          else expect(terminal?.status).toBe("failed");
        }),
      );
    });

    it("says in its deltas, put together, exactly what its last response has", () => {
      fc.assert(
        fc.property(scenes, (scene) => {
          const { events, terminal } = responsesStream(scene);
          const output = objectsOf(terminal?.output);
          const done = new Set(output.map(({ id }) => id));
          const told = Object.entries(spoken(events)).filter(([key]) => done.has(key.split(" ")[0]));
          expect(Object.fromEntries(told)).toEqual(written(output));
        }),
      );
    });
  },
);

/** What the deltas of a stream say, by item and part. */
function spoken(events: readonly JsonObject[]): Record<string, string> {
  const said: Record<string, string> = {};
  for (const { type, item_id: id, content_index: content, summary_index: summary, delta } of events) {
    if (typeof delta !== "string" || String(type).startsWith("response.output_tool_call.")) continue;
    const key = `${id} ${content ?? summary ?? "arguments"}`;
    said[key] = (said[key] ?? "") + delta;
  }
  return said;
}

/** What items have, by item and part; without what nothing was said of. */
function written(output: readonly JsonObject[]): Record<string, string> {
  const entries = output.flatMap(({ type, id, content, summary, arguments: json, input }) => {
    if (type === "message" || type === "reasoning") {
      return objectsOf(content ?? summary).map((part, index) => [`${id} ${index}`, part.text ?? part.refusal]);
    }
    const whole = type === "function_call" ? json : type === "custom_tool_call" ? input : undefined;
    return typeof whole === "string" ? [[`${id} arguments`, whole]] : [];
  });
  return Object.fromEntries(entries.filter(([, words]) => words !== ""));
}
