import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codecs, FrameRecorder, SseSink, WholeSink } from "../../src/wire/index.ts";
import { anyScene } from "./any-scene.ts";
import { recorded, type Scene, streamed } from "./encoders.ts";

const comment = ": keep-alive\n\n";

describe("server-sent events", () => {
  it("name a frame by its event, and leave the line out where the API has no names", () => {
    const sink = new SseSink();
    sink.frame("response.created", '{"a":1}');
    sink.frame("", '{"b":2}');
    expect(sink.take()).toBe('event: response.created\ndata: {"a":1}\n\ndata: {"b":2}\n\n');
  });

  it("keep alive by a comment, and end with [DONE]", () => {
    const sink = new SseSink();
    sink.keepAlive();
    sink.end();
    expect(sink.take()).toBe(`${comment}data: [DONE]\n\n`);
  });

  it("are taken once", () => {
    const sink = new SseSink();
    expect(sink.take()).toBe("");
    sink.frame("", "1");
    expect(sink.take()).toBe("data: 1\n\n");
    expect(sink.take()).toBe("");
    sink.frame("", "2");
    expect(sink.take()).toBe("data: 2\n\n");
  });
});

describe("an answer in one piece", () => {
  it("is the last frame, and nothing else", () => {
    const sink = new WholeSink();
    expect(sink.take()).toBe("");
    sink.frame("", "1");
    sink.keepAlive();
    sink.frame("named", "2");
    sink.end();
    expect(sink.take()).toBe("2");
  });
});

/** The bytes of the recorded frames from one of them on. */
function bytesFrom(recorder: FrameRecorder, from?: number): string {
  const sink = new SseSink();
  recorder.play(sink, from);
  return sink.take();
}

describe("recorded frames", () => {
  it("have no keep-alives, and tell whether the turn has ended", () => {
    const recorder = new FrameRecorder();
    recorder.frame("", "1");
    recorder.keepAlive();
    expect(recorder).toMatchObject({ frames: [{ event: "", json: "1" }], isEnded: false });
    expect(bytesFrom(recorder)).toBe("data: 1\n\n");
    recorder.end();
    expect(recorder.isEnded).toBe(true);
    expect(bytesFrom(recorder)).toBe("data: 1\n\ndata: [DONE]\n\n");
  });

  it("may be played as often as one likes, from behind the last one too", () => {
    const recorder = new FrameRecorder();
    for (const json of ["1", "2"]) recorder.frame("e", json);
    recorder.end();
    expect(bytesFrom(recorder)).toBe(bytesFrom(recorder));
    expect(bytesFrom(recorder, recorder.frames.length)).toBe("data: [DONE]\n\n");
    expect(bytesFrom(recorder, recorder.frames.length + 1)).toBe("data: [DONE]\n\n");
  });
});

describe.each(codecs)("the recorded frames of the API `$name`", (codec) => {
  const scenes = anyScene().chain((scene) =>
    fc.constantFrom("openai" as const, "extended" as const).map((profile): Scene => ({ ...scene, profile })),
  );

  it("make the bytes of the stream, but for the comments that kept it alive", () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        // No text of an answer has a line end of its own in JSON, so this is nothing but a comment.
        const bytes = streamed(codec, scene).replaceAll(comment, "");
        expect(bytesFrom(recorded(codec, scene))).toBe(bytes);
      }),
    );
  });

  it("make the rest of those bytes from any frame on", () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const recorder = recorded(codec, scene);
        const all = bytesFrom(recorder);
        let before = "";
        for (const [from, { event, json }] of recorder.frames.entries()) {
          expect(before + bytesFrom(recorder, from)).toBe(all);
          const frame = new SseSink();
          frame.frame(event, json);
          before += frame.take();
        }
        expect(before + bytesFrom(recorder, recorder.frames.length)).toBe(all);
      }),
      { numRuns: 30 },
    );
  });
});
