import { describe, expect, it } from "vitest";
import { objectsOf } from "../support/folded.ts";
import { conversation } from "../support/provider.ts";
import type { CliSettings } from "./support/codex-cli.ts";
import { afterHeading, modelOf, type Step, see } from "./support/codex-cli-model.ts";
import { cliStage, models, type Way, ways } from "./support/codex-cli-stage.ts";

/** What patches, shells, JSON and prompts write in ways of their own. */
const lines = [
  'She said "no", and \\n is no line: C:\\temp\\new',
  "$HOME `pwd` 'single' %s </tool_call> ]",
  "日本 – Köln 😀👩‍💻",
  "",
  '\t{"a": ["\\u00e9", "\\\\"]}',
];
const content = `${lines.join("\n")}\n`;
const patch = ["*** Begin Patch", "*** Add File: notes.txt", ...lines.map((line) => `+${line}`), "*** End Patch"].join(
  "\n",
);

const answer: Step = ({ outputs }) => `It says:\n${afterHeading(outputs[1])}`;
const reading: Step = () => [{ tool: "exec_command", input: { cmd: "cat notes.txt" } }];

/** The tool that a model of this kind makes a file with, and its steps. */
const kinds: Record<keyof typeof models, { tool: string; steps: Step[]; settings?: CliSettings }> = {
  unknown: {
    tool: "exec_command",
    steps: [
      () => [{ tool: "exec_command", input: { cmd: `cat > notes.txt <<'END'\n${content}END` } }],
      reading,
      answer,
    ],
  },
  patches: { tool: "apply_patch", steps: [() => [{ tool: "apply_patch", input: patch }], reading, answer] },
  listed: {
    ...{ tool: "apply_patch", steps: [() => [{ tool: "apply_patch", input: patch }], reading, answer] },
    settings: { catalog: true, keys: { web_search: "disabled" } },
  },
  scripts: {
    tool: "exec",
    steps: [
      () => [{ tool: "exec", input: `text(await tools.apply_patch(${JSON.stringify(patch)}));` }],
      () => [{ tool: "exec", input: 'text((await tools.exec_command({ cmd: "cat notes.txt" })).output);' }],
      answer,
    ],
  },
};

const stage = cliStage();

describe.each(ways)("the Codex CLI before a %s backend", (way) => {
  it.each(Object.keys(kinds) as (keyof typeof kinds)[])(
    "makes a file, reads it and has the answer, with a model of the kind: %s",
    async (kind) => {
      const { steps, tool, settings } = kinds[kind];
      stage.script = modelOf(...steps);
      const run = await stage.run(`${way}/${models[kind]}`, "Write down notes.txt, and read it to me.", settings);
      expect(run.errors).toEqual([]);
      expect(run.code).toBe(0);
      expect(stage.workspace.read("notes.txt")).toBe(content);
      expect(run.said).toEqual([`It says:\n${content}`]);
      // It warns of a model that it has never heard of.
      expect(run.items("error")).toHaveLength(kind === "unknown" ? 1 : 0);
      if (kind !== "unknown") expect(run.items("file_change")).toMatchObject([{ status: "completed" }]);
      expect(stage.provider.requests).toHaveLength(3);
      checks[way](tool);
    },
  );
});

/** What the provider was sent. */
const checks: Record<Way, (tool: string) => void> = {
  chat(tool) {
    for (const { body } of stage.provider.requests) {
      for (const { type, function: definition } of objectsOf(body.tools)) {
        expect(type).toBe("function");
        expect(definition).toMatchObject({ name: expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/) });
      }
    }
    expectGrammar(tool);
    expectPairs();
  },
  prompted(tool) {
    for (const { body } of stage.provider.requests) expect(body).not.toHaveProperty("tools");
    expectGrammar(tool);
  },
  responses(tool) {
    const type = tool === "exec_command" ? "function_call" : "custom_tool_call";
    const { input } = lastRequest().body;
    const echoed = objectsOf(input).filter((item) => item.type === type && item.name === tool);
    expect(echoed[0]).toMatchObject(tool === "apply_patch" ? { input: patch } : { call_id: "call_0_0" });
    if (tool !== "exec_command") expect(JSON.stringify(lastRequest().body)).toContain('"syntax":"lark"');
    if (tool === "exec") {
      expect(echoed).toMatchObject([{ namespace: "functions" }, { namespace: "functions" }]);
      // Here the CLI has its tools in the input, and nowhere else.
      expect(objectsOf(input).map((item) => item.type)).toContain("additional_tools");
      expect(lastRequest().body).not.toHaveProperty("tools");
    }
    expectPairs();
  },
};

function lastRequest() {
  const request = stage.provider.requests.at(-1);
  if (!request) throw new Error("The provider was sent nothing");
  return request;
}

/** A model that knows only functions is told what the free text must look like. */
function expectGrammar(tool: string): void {
  const { api, body, headers } = lastRequest();
  const offered = see({ api, body, headers, model: "", count: 1 }).tools.find(({ name }) => name === tool);
  expect(offered).toBeDefined();
  if (tool !== "exec_command") expect(offered?.description).toMatch(/lark grammar:\n\s*start: /);
}

/** Every call has its one output, in order. */
function expectPairs(): void {
  const entries = conversation(lastRequest().body).filter(({ kind }) => kind !== "message");
  expect(entries.map((entry) => ("id" in entry ? [entry.kind, entry.id] : []))).toEqual([
    ["call", "call_0_0"],
    ["output", "call_0_0"],
    ["call", "call_1_0"],
    ["output", "call_1_0"],
  ]);
}
