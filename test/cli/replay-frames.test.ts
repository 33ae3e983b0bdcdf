import { describe, expect, it } from "vitest";
import { RecordedBackend } from "../../src/cli/replay/backend.ts";
import { playEvents } from "../../src/cli/replay/events.ts";
import type { Recording } from "../../src/cli/replay/recording.ts";
import { isObject, parseJson } from "../../src/turn/index.ts";
import { type ClientRequest, type Codec, codecs, type Frame } from "../../src/wire/index.ts";

interface Replayed {
  /** What was written, a write a string. */
  written: string[];
  /** What the encoder wrote, in its own order. */
  frames: Frame[];
  keepAlives: number;
  httpStatus: number | undefined;
}

/** Replays the recording, and listens in on what the encoder gives its sink. */
async function replay(codec: Codec, recording: Recording): Promise<Replayed> {
  const written: string[] = [];
  const frames: Frame[] = [];
  const heard = { keepAlives: 0 };
  const overheard: Codec = {
    ...codec,
    createEncoder(request: ClientRequest, options) {
      const { sink } = options;
      return codec.createEncoder(request, {
        ...options,
        sink: {
          frame(event, json) {
            frames.push({ event, json });
            sink.frame(event, json);
          },
          keepAlive() {
            heard.keepAlives++;
            sink.keepAlive();
          },
          end: () => sink.end(),
        },
      });
    },
  };
  const tools = [{ type: "function", name: "get_weather", function: { name: "get_weather" } }];
  const messages = [{ role: "user", content: "" }];
  const request = codec.decode({ model: "m", stream: true, input: "", messages, tools }, { toolOutput: 1000 });
  const backend = new RecordedBackend(recording, { ending: "stop", pieces: 7 });
  const write = (lines: string) => void written.push(lines);
  const { httpStatus } = await playEvents(overheard, request, backend, "auto", write);
  return { written, frames, ...heard, httpStatus };
}

const call = '<tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>';
/** Words that would be something else in a server-sent stream, and line ends of all kinds. */
const odd = "\n\ndata: [DONE]\n\nevent: x\r\n: comment\r\u2028\u0085 🌞";

describe.each(codecs)("a replay for a client of the API `$name`", (codec) => {
  it.each<[string, Recording]>([
    ["text", { kind: "text", text: "Good day." }],
    ["a call in text", { kind: "text", text: `Let me look.\n${call}` }],
    ["text that looks like a stream", { kind: "text", text: `Look:${odd}` }],
    [
      "a stream that breaks off",
      { kind: "stream", api: "chat", text: 'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n' },
    ],
  ])("prints %s as the frames that the client would get, one JSON a line", async (_what, recording) => {
    const { written, frames, keepAlives, httpStatus } = await replay(codec, recording);
    expect(frames.length).toBeGreaterThan(2);
    expect(written.join("")).toBe(frames.map(({ json }) => `${json}\n`).join(""));
    const lines = written.join("").trimEnd().split("\n");
    expect(lines).toHaveLength(frames.length);
    for (const line of lines) expect(isObject(parseJson(line))).toBe(true);
    expect({ keepAlives, httpStatus }).toEqual({ keepAlives: 0, httpStatus: undefined });
  });

  it("prints frames while they come, not at the end", async () => {
    const { written } = await replay(codec, { kind: "text", text: "Good day to all of you. How are you?" });
    expect(written.length).toBeGreaterThan(3);
  });

  it("prints the error's body as its one line where no stream would be opened", async () => {
    const text = 'data: {"error":{"message":"Overloaded.","code":503}}\n\n';
    const { written, frames, httpStatus } = await replay(codec, { kind: "stream", api: "chat", text });
    expect(frames).toEqual([]);
    expect(written).toHaveLength(1);
    expect(parseJson(written.join(""))).toMatchObject({ error: { message: expect.stringContaining("Overloaded.") } });
    expect(httpStatus).toBeGreaterThanOrEqual(500);
  });
});
