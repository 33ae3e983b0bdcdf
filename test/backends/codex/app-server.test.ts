import { spawnSync } from "node:child_process";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { isObject, type JsonObject } from "../../../src/turn/index.ts";
import { type RecordedLine, readRecording, repeatRecording } from "../../support/app-server/client.ts";
import {
  createScene,
  type RecordingName,
  recordingNames,
  type Scene,
  type SceneOptions,
} from "../../support/app-server/index.ts";
import { missingFields, outline } from "../../support/app-server/likeness.ts";

/** The id of the turn under which injected items come back. */
const injected = "auto-compact-0";

const scenes: Scene[] = [];
afterEach(() => Promise.all(scenes.splice(0).map((scene) => scene.dispose())));

async function open(options: SceneOptions): Promise<Scene> {
  const scene = await createScene(options);
  scenes.push(scene);
  return scene;
}

/** What the stand-in says to the client of a recording when it plays that recording's turn. */
async function repeat(name: RecordingName) {
  const recording = await readRecording(name);
  const account = { account: null, requiresOpenaiAuth: name === "l-noauth-401" };
  const scene = await open({ turns: [{ play: name }], account });
  const { heard, exit } = await repeatRecording(scene.command, recording);
  const said = recording.filter(({ from }) => from === "server").map(({ msg }) => msg);
  return { scene, recording, said, heard, exit };
}

describe("to the requests of a recording, the stand-in for the app-server", () => {
  it.each(recordingNames)("says what the real program said: %s", async (name) => {
    const { recording, said, heard, exit } = await repeat(name);
    expect(outline(heard, recording)).toEqual(outline(said, recording));
    expect(said.flatMap((msg, index) => missingFields(msg, heard[index], `${index}`))).toEqual([]);
    expect(exit).toBe(recording.at(-1)?.msg.exit);
  });
});

describe("the recordings", () => {
  let lines: RecordedLine[];
  beforeAll(async () => {
    lines = (await Promise.all(recordingNames.map(readRecording))).flat();
  });

  it("tell nothing of the machine that they were made on", () => {
    const text = JSON.stringify(lines);
    expect(text).not.toMatch(/installationId|serverName|\/(?:home|root|Users|tmp)\/\w|01a1[0-9a-f]{4}-/);
  });
});

describe("the stand-in for the app-server", () => {
  it("writes down what it was asked", async () => {
    const { scene } = await repeat("e1-dynamic-roundtrip");
    expect((await scene.requests()).map(({ method }) => method)).toEqual(["initialize", "thread/start", "turn/start"]);
    expect(await scene.entries("reply")).toMatchObject([
      {
        method: "item/tool/call",
        result: { contentItems: [{ type: "inputText", text: '{"temp":21}' }], success: true },
      },
    ]);
    expect(await scene.entries("notification")).toMatchObject([{ method: "initialized" }]);
    expect(await scene.entries("exit")).toMatchObject([{ code: 0, reason: "stdin closed" }]);
  });

  it("gives back what was injected, where raw events are on", async () => {
    const recording = await readRecording("e12-stateless-replay-full-loop");
    const withRawEvents = recording.map(({ msg, ...line }) => {
      const params = isObject(msg.params) ? msg.params : {};
      if (msg.method !== "thread/start") return { ...line, msg };
      return { ...line, msg: { ...msg, params: { ...params, experimentalRawEvents: true } } };
    });
    const scene = await open({ turns: [{ play: "e12-stateless-replay-full-loop" }] });
    const { heard } = await repeatRecording(scene.command, withRawEvents);
    const echoes = heard.map(({ params }) => params).filter((params) => isObject(params) && params.turnId === injected);
    expect(echoes).toMatchObject([
      { item: { type: "message", role: "user" } },
      { item: { type: "function_call", call_id: "call_abc1" } },
      { item: { type: "function_call_output", call_id: "call_abc1" } },
    ]);
  });

  it("refuses a method that it does not know, and one before the greeting", async () => {
    const hello = (await readRecording("a-plain")).slice(0, 2);
    const asks = (id: number, method: string): RecordedLine[] => [
      { t_ms: 0, from: "client", msg: { id, method, params: {} } },
      { t_ms: 0, from: "server", msg: {} },
    ];
    const scene = await open({ turns: [] });
    const recording = [...asks(7, "thread/start"), ...hello, ...asks(8, "newConversation"), ...asks(9, "initialize")];
    const { heard } = await repeatRecording(scene.command, recording);
    const error = (message: RegExp) => ({ error: { code: -32600, message: expect.stringMatching(message) } });
    expect(heard.find(({ id }) => id === 7)).toMatchObject(error(/^Not initialized$/));
    expect(heard.find(({ id }) => id === 8)).toMatchObject(error(/unknown variant `newConversation`, expected one of/));
  });

  it("prints the models that it has in it only where the scene has some", async () => {
    const models = { models: [{ slug: "gpt-6.1-sol" }] };
    const print = async (options: { bundledModels?: JsonObject }) => {
      const scene = await open({ turns: [], ...options });
      const [program = "", ...words] = [...scene.command, "debug", "models", "--bundled"];
      const { status, stdout } = spawnSync(program, words, { encoding: "utf8" });
      return { status, stdout };
    };
    expect(await print({})).toEqual({ status: 1, stdout: "" });
    expect(await print({ bundledModels: models })).toEqual({ status: 0, stdout: `${JSON.stringify(models)}\n` });
  });
});
