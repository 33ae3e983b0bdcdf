import { describe, expect, it } from "vitest";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../src/turn/index.ts";
import { type Finished, run, type Surroundings } from "./program.ts";

const call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Lisbon",}}\n</tool_call>';
const text = `<think>Where is it?</think>\n\nLet me look.\n${call}\nDone.`;
const chunk = (delta: JsonObject, finish: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const chatChunks = [
  chunk({ role: "assistant", content: `Let me look.\n${call.slice(0, 5)}` }),
  chunk({ content: call.slice(5) }),
  chunk({}, "stop"),
];
const response = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: `Let me look.\n${call}` }],
    },
  ],
};
const responsesEvents = [
  { type: "response.created", response: { id: "resp_1", status: "in_progress" } },
  { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1", role: "assistant" } },
  { type: "response.output_text.delta", output_index: 0, item_id: "msg_1", delta: "Let me look.\n" },
  { type: "response.output_text.delta", output_index: 0, item_id: "msg_1", delta: call },
  { type: "response.completed", response },
];
const sse = (payloads: readonly JsonValue[], end = "") =>
  `${payloads.map((payload) => `data: ${JSON.stringify(payload)}\n\n`).join("")}${end}`;

const replay = (content: string, args: string[] = [], more: Surroundings = {}) =>
  run(["replay", "answer", ...args], { ...more, files: { answer: content, ...more.files } });

function events({ stdout }: Finished): JsonObject[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => parseJson(line))
    .filter(isObject);
}

const ofType = (finished: Finished, type: string) => events(finished).filter((event) => event.type === type);
const weather = ["--tool", "get_weather"];

describe("toolwire replay", () => {
  describe.each<[string, string]>([
    ["what a model wrote", `Let me look.\n${call}`],
    ["a Chat stream", sse(chatChunks, "data: [DONE]\n\n")],
    ["a Chat stream with CRLF and comments", `: hello\r\n\r\n${sse(chatChunks).replaceAll("\n", "\r\n")}`],
    ["a Responses stream", sse(responsesEvents).replaceAll(/data: \{"type":"([\w.]+)"/g, "event: $1\n$&")],
    ["chunks, one a line", chatChunks.map((each) => JSON.stringify(each)).join("\n")],
    [
      "a whole Chat answer",
      JSON.stringify({
        object: "chat.completion",
        choices: [
          { index: 0, message: { role: "assistant", content: `Let me look.\n${call}` }, finish_reason: "stop" },
        ],
      }),
    ],
    ["a whole Responses answer", JSON.stringify(response, null, 2)],
  ])("%s", (_name, content) => {
    it("becomes the Responses events that a client would get, one a line", async () => {
      const finished = await replay(content, weather);
      expect(finished).toMatchObject({ code: 0, stderr: "" });
      expect(events(finished)).toHaveLength(finished.stdout.trimEnd().split("\n").length);
      expect(events(finished).at(0)).toMatchObject({ type: "response.created" });
      expect(events(finished).at(-1)).toMatchObject({
        type: "response.completed",
        response: {
          output: [
            { type: "message", content: [{ text: "Let me look.\n" }] },
            { type: "function_call", name: "get_weather", arguments: '{"city":"Lisbon"}' },
          ],
        },
      });
    });

    it("becomes the chunks of Chat Completions with --api chat", async () => {
      const chunks = events(await replay(content, [...weather, "--api", "chat"]));
      expect(chunks.every(({ object }) => object === "chat.completion.chunk")).toBe(true);
      expect(JSON.stringify(chunks)).toContain('"finish_reason":"tool_calls"');
    });

    it("is shown with its spans with --format spans", async () => {
      const { stdout } = await replay(content, [...weather, "--format", "spans"]);
      expect(stdout).toContain("text      │ Let me look.\ncall      │ <tool_call>\n");
      expect(stdout).toContain('calls\n  get_weather (hermes-json)\n    {\n      "city": "Lisbon"\n    }\n');
      expect(stdout).toContain("\nrepairs\n  3:56 (offset 80)  trailing_comma (hermes-json)\n");
    });
  });
});

describe("the spans", () => {
  it("have colours where there are colours", async () => {
    const { stdout } = await replay(text, [...weather, "--format", "spans"], { environment: { FORCE_COLOR: "1" } });
    expect(stdout).toContain(
      "\x1b[90m<think>\x1b[0m\x1b[2;3mWhere is it?\x1b[0m\x1b[90m</think>\x1b[0m\n\nLet me look.\n",
    );
    expect(stdout).toContain("\n\x1b[1;36m</tool_call>\x1b[0m\nDone.\n");
    expect(stdout).toContain("\x1b[1mcalls\x1b[0m\n");
  });

  it("have none otherwise", async () => {
    expect((await replay(text, [...weather, "--format", "spans"])).stdout).not.toContain("\x1b");
  });

  it("cannot steer the terminal", async () => {
    const { stdout } = await replay("a\x1b[2Jb\x07c\x9bd", ["--format", "spans"]);
    expect(stdout).toContain("text      │ a␛[2Jb␇c\ufffdd\n");
  });

  it("tell what was left as text, and why", async () => {
    const { stdout } = await replay(`\n${call.replace('"Lisbon"', "oops")}`, [...weather, "--format", "spans"]);
    expect(stdout).toContain(
      "\nleft as text\n  2:1 (offset 1)  the arguments are not JSON: get_weather (hermes-json)\n",
    );
    expect(stdout).not.toContain("\ncalls\n");
  });

  it("show calls that the backend gave as such, and what it thought", async () => {
    const native = { index: 0, id: "call_1", function: { name: "get_weather", arguments: '{"city":"Lisbon"}' } };
    const content = sse([
      chunk({ reasoning_content: "Hm." }),
      chunk({ tool_calls: [native] }),
      chunk({}, "tool_calls"),
    ]);
    const { stdout } = await replay(content, ["--format", "spans"]);
    expect(stdout).toContain('reasoning │ Hm.\ncall      │ get_weather {"city":"Lisbon"}\n');
    expect(stdout).toContain("\ncalls\n  get_weather (native)\n");
  });

  it("show a call in reasoning that nothing follows", async () => {
    const { stdout } = await replay(sse([chunk({ reasoning_content: `Hm. ${call}` }), chunk({}, "stop")]), [
      "--format",
      "spans",
    ]);
    expect(stdout).toContain("reasoning │ Hm.");
    expect(stdout).toContain("\ncalls\n  get_weather (hermes-json)\n");
  });
});

describe("the tools of a replay", () => {
  it("may be a list of either API, or a recorded request", async () => {
    const parameters = { type: "object", properties: { city: { type: "string" } } };
    const flat = { type: "function", name: "get_weather", parameters };
    const nested = { type: "function", function: { name: "get_weather", parameters } };
    const xml = "<function=get_weather>\n<parameter=city>\n12\n</parameter>\n</function>";
    const forms = [[flat], [nested], { model: "m", tools: [nested] }, { functions: [nested.function] }];
    const replays = forms.map((tools) =>
      replay(xml, ["--tools", "tools.json"], { files: { "tools.json": JSON.stringify(tools) } }),
    );
    for (const finished of await Promise.all(replays)) {
      const [done] = ofType(finished, "response.function_call_arguments.done");
      expect(done).toMatchObject({ name: "get_weather", arguments: '{"city":"12"}' });
    }
  });

  it("are taken from the text where none are given, and that is said", async () => {
    const two = ["one", "two"].map((name) => `<tool_call>{"name": "${name}", "arguments": {}}</tool_call>`).join("\n");
    const finished = await replay(two);
    expect(finished.stderr).toBe(
      "toolwire: no tools were given; using the tool names found in the recording: one, two\n",
    );
    expect(ofType(finished, "response.function_call_arguments.done")).toHaveLength(2);
    expect((await replay("Good day.")).stderr).toContain("no tool names were found");
  });

  it("are all that counts where they are given", async () => {
    const finished = await replay(call, ["--tool", "get_time, get_date"]);
    expect(ofType(finished, "response.function_call_arguments.done")).toHaveLength(0);
    expect(ofType(finished, "response.output_text.done")).toMatchObject([{ text: call }]);
  });
});

describe("the flags of a replay", () => {
  it("choose dialects", async () => {
    const calls = async (dialects: string) =>
      ofType(await replay(call, [...weather, "--dialects", dialects]), "response.function_call_arguments.done").length;
    const choices = ["auto", "mistral, hermes-json", "mistral", "none"];
    expect(await Promise.all(choices.map(calls))).toEqual([1, 1, 0, 0]);
  });

  it("cut a text off, and into pieces that split no character", async () => {
    const finished = await replay("Sun 🌞 and more", ["--ending", "cut", "--pieces", "5"]);
    const deltas = ofType(finished, "response.output_text.delta").map(({ delta }) => delta);
    expect(deltas).toEqual(["Sun 🌞", " and ", "more"]);
    expect(events(finished).at(-1)).toMatchObject({ type: "response.incomplete" });
  });

  it("read standard input with -", async () => {
    const { code, stderr } = await run(["replay", "-"]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });
});

describe("an answer that fails", () => {
  const error = sse([{ error: { message: "Overloaded.", code: 503 } }]);

  it("is the HTTP error that a client would get", async () => {
    const finished = await replay(error, weather);
    expect(finished.code).toBe(0);
    expect(events(finished)).toMatchObject([{ error: { message: expect.stringContaining("Overloaded.") } }]);
    expect(finished.stderr).toMatch(/^toolwire: no stream would be opened: this is an HTTP error with status 5\d\d\n$/);
  });

  it("is told in the stream, where one was opened", async () => {
    const finished = await replay(sse(chatChunks.slice(0, 1)), weather);
    expect(events(finished).at(-1)).toMatchObject({ type: "response.failed" });
    expect((await replay(sse(chatChunks.slice(0, 1)), ["--format", "spans"])).stdout).toMatch(/\nfailed\n {2}\w/);
  });
});

describe("what keeps a replay from being run", () => {
  const answer = { files: { answer: sse(chatChunks), "bad.json": "{}", "worse.json": '[{"type":"function"}]' } };

  it.each<[string[], string | RegExp]>([
    [[], "replay needs a FILE: what a model wrote, or what its provider sent"],
    [["nowhere.txt"], "there is no file nowhere.txt; give the path of a recording, or - to read standard input"],
    [["."], /is a folder; give the path of one recording in it/],
    [["answer", "other"], "unexpected argument other; write the command first, then its flags"],
    [["answer", "--formats", "spans"], "there is no flag --formats; did you mean --format?"],
    [["answer", "--file", "x"], /^toolwire: there is no flag --file/],
    [["answer", "--format", "html"], "--format must be spans or events, found html"],
    [["answer", "--api", "realtime"], "--api must be responses or chat, found realtime"],
    [["answer", "--dialects", "hermes-jsn"], "there is no dialect hermes-jsn; did you mean hermes-json?"],
    [["answer", "--pieces", "0"], "--pieces must be a number of characters from 1 on, found 0"],
    [["answer", "--pieces", "5"], /answer is a provider's answer, which has its own pieces and ending/],
    [["answer", "--tools", "bad.json"], "bad.json must be a JSON list of tools, or a request with one"],
    [["answer", "--tools", "worse.json"], /the tools cannot be used: .*name/],
  ])("%j is answered with one sentence", async (args, sentence) => {
    const { code, stdout, stderr } = await run(["replay", ...args], answer);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    if (typeof sentence === "string") expect(stderr).toBe(`toolwire: ${sentence}\n`);
    else expect(stderr).toMatch(sentence);
  });

  it("a file that is too large is refused", async () => {
    expect((await replay("x".repeat(64 * 1024 * 1024 + 1))).stderr).toContain("is larger than 64 MB");
  });
});
