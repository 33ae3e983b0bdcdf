import { describe, expect, it } from "vitest";
import { FunctionAdapter } from "../../src/tools/index.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import {
  called,
  custom,
  everything,
  formOf,
  found,
  namesOf,
  namespace,
  offered,
  plain,
  search,
  told,
  turnOf,
} from "./function-adapters.ts";

const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };

describe("a tool that takes free text", () => {
  it("is offered as a function with one string, which is told to hold the whole text", () => {
    const form = formOf({ tools: [custom("apply_patch", { description: "Edits files. Do not wrap it in JSON." })] });
    const tool = offered(form, "apply_patch");
    expect(tool.parameters).toMatchObject({
      type: "object",
      properties: { input: { type: "string" } },
      required: ["input"],
    });
    expect(tool.strict).toBeUndefined();
    expect(tool.description).toMatch(/^Edits files\. Do not wrap it in JSON\.\n\n.*`input`/);
  });

  it.each<[string, JsonObject, string]>([
    ["lark", { type: "grammar", syntax: "lark", definition: 'start: "a"+' }, 'lark grammar:\nstart: "a"+'],
    ["regex", { type: "grammar", syntax: "regex", definition: "^\\d+$" }, "regex grammar:\n^\\d+$"],
    ["unnamed", { type: "grammar", definition: "x: y" }, "this grammar:\nx: y"],
    ["nested", { type: "grammar", grammar: { syntax: "lark", definition: "start: /./" } }, "lark grammar:\nstart: /./"],
  ])("is told its %s grammar", (_which, format, words) => {
    const { description } = offered(formOf({ tools: [custom("p", { format })] }), "p");
    expect(description?.endsWith(words)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ["plain text", { format: { type: "text" } }],
    ["nothing", {}],
    ["a grammar that is none", { format: { type: "grammar", definition: 17 } }],
  ])("is told no grammar where its format is %s", (_what, more) => {
    const { description } = offered(formOf({ tools: [custom("p", more)] }), "p");
    expect(description).toContain("free text");
    expect(description).not.toContain("grammar");
  });
});

describe("a namespace", () => {
  const tools = [
    plain("before"),
    namespace("files", [plain("read", { description: "Reads.", parameters, strict: true }), custom("edit"), "list"], {
      description: "The user's own files.",
    }),
    namespace("mail", ["read"], { description: "" }),
  ];
  const form = formOf({ tools });

  it("is offered as the functions that it has, each with all that it says", () => {
    expect(namesOf(form)).toEqual(["before", "files__read", "files__edit", "files__list", "mail__read"]);
    expect(offered(form, "files__read")).toMatchObject({ parameters, strict: true });
    expect(offered(form, "files__edit").parameters).toMatchObject({ required: ["input"] });
  });

  it("says what it is about once, at the first of them", () => {
    const about = "About all tools of files: The user's own files.";
    expect(offered(form, "files__read").description).toBe(`Reads.\n\n${about}`);
    const others = form.turn.tools.filter((tool) => tool.type === "function" && tool.name !== "files__read");
    expect(JSON.stringify(others)).not.toContain("The user's own files");
    expect(offered(form, "mail__read").description).toBeUndefined();
  });

  it("that is there twice has each of its tools once, as it was declared last", () => {
    const again = formOf({ tools: [namespace("n", ["a", "b"]), namespace("n", [plain("a", { parameters }), "c"])] });
    expect(namesOf(again)).toEqual(["n__a", "n__b", "n__c"]);
    expect(offered(again, "n__a").parameters).toEqual(parameters);
  });

  it("without tools, or without a name, offers nothing", () => {
    const empty = formOf({ tools: [namespace("n", []), { type: "namespace", tools: [plain("x")] }] });
    expect(namesOf(empty)).toEqual([]);
  });
});

describe("the search for tools", () => {
  it("is a function with the parameters and the description that the client gives it", () => {
    const form = formOf({ tools: [{ ...search, description: "Finds tools.", parameters }] });
    expect(offered(form, "tool_search")).toMatchObject({ description: "Finds tools.", parameters });
    expect(form.original("tool_search")).toMatchObject({ kind: "search" });
  });

  it("asks for a query where the client says nothing of use", () => {
    for (const more of [{}, { description: "", parameters: null }, { parameters: { type: "object" } }]) {
      const tool = offered(formOf({ tools: [{ ...search, ...more }] }), "tool_search");
      expect(tool.description).not.toBe("");
      expect(tool.parameters).toMatchObject({ properties: { query: { type: "string" } }, required: ["query"] });
    }
  });

  it("lets what it has found be called, and says under which names", () => {
    const tools = [plain("g", { defer_loading: true }), namespace("n", ["f", custom("p")]), custom("q")];
    const call = { type: "tool_search_call", call_id: "call_search", execution: "client", arguments: { query: "x" } };
    const form = formOf({ tools: [search], input: [call, found(...tools)] });
    expect(namesOf(form)).toEqual(["tool_search", "g", "n__f", "n__p", "q"]);
    expect(told(form)).toMatchObject([
      { type: "call", kind: "function", callId: "call_search", name: "tool_search", arguments: '{"query":"x"}' },
      {
        type: "output",
        kind: "function",
        callId: "call_search",
        output: "Found, and can be called from now on: g, n__f, n__p, q",
      },
    ]);
  });

  it("that has found nothing says so", () => {
    for (const tools of [[], [{ type: "web_search" }]]) {
      expect(told(formOf({ tools: [search], input: [found(...tools)] }))).toMatchObject([
        { output: "No tools were found." },
      ]);
    }
  });
});

describe("what was called before", () => {
  const image = { type: "input_image", image_url: "https://example.com/a.png" };

  it("is told as calls of the functions that are offered now", () => {
    const input = [
      { ...called("apply_patch", undefined, "custom"), id: "ctc_1", input: 'say "日本"\n' },
      { type: "custom_tool_call_output", call_id: "call__apply_patch", output: "Done" },
      { ...called("read", "files"), id: "fc_1", arguments: '{ "path": "a" }' },
      { type: "function_call_output", call_id: "call_files_read", output: [{ type: "input_text", text: "x" }, image] },
    ];
    const form = formOf({ tools: [custom("apply_patch"), namespace("files", ["read"])], input });
    expect(told(form)).toMatchObject([
      { kind: "function", name: "apply_patch", arguments: '{"input":"say \\"日本\\"\\n"}', id: undefined },
      { kind: "function", callId: "call__apply_patch", output: "Done" },
      { kind: "function", name: "files__read", namespace: undefined, arguments: '{ "path": "a" }', id: "fc_1" },
      { kind: "function", output: [{ type: "text", text: "x" }, { type: "image" }] },
    ]);
  });

  it("keeps what its provider wants back with it", () => {
    const form = formOf({ tools: [custom("p")] });
    const more = { format: "chat", fields: { extra_content: { signature: "s" } } } as const;
    const call = { type: "call", kind: "custom", callId: "c", name: "p", arguments: "x", more } as const;
    expect(told(form, [call])).toMatchObject([{ kind: "function", more }]);
  });

  it("is the same list where there is nothing to change in it", () => {
    const { input } = turnOf({ input: [{ role: "user", content: "hi" }, called("f")] });
    expect(formOf({ tools: [custom("p")] }).history(input)).toBe(input);
  });

  it("does not hold the lists of tools that a client brings in its input", () => {
    const input = [{ type: "additional_tools", role: "developer", tools: [plain("f")] }, called("read", "files")];
    const form = formOf({ input });
    expect(namesOf(form)).toEqual(["f"]);
    expect(form.history(form.turn.input)).toMatchObject([{ type: "call" }]);
  });
});

describe("for a backend that carries everything, a turn", () => {
  const tools = [plain("f"), custom("p"), namespace("n", ["g"]), search, { type: "web_search" }];
  const call = { type: "tool_search_call", call_id: "call_search", execution: "client", arguments: {} };
  const input = [called("g", "n"), called("p", undefined, "custom"), call];

  /** The tools of the turn, before and after. */
  const both = (more: JsonObject[]) => {
    const turn = turnOf({ tools, input: [...input, ...more] });
    const form = new FunctionAdapter(turn, everything);
    return { turn, form };
  };

  it.each<[string, JsonObject[]]>([
    ["stays as it was", []],
    ["stays as it was after a search", [found(plain("h"), namespace("m", ["i"]))]],
    ["stays as it was with tools in its input", [{ type: "additional_tools", tools: [plain("j")] }]],
    [
      "stays as it was with deferred tools",
      [{ type: "additional_tools", tools: [plain("k", { defer_loading: true })] }],
    ],
    ["is not read where only its provider reads it", [found({ type: "function" })]],
  ])("%s", (_how, more) => {
    const { turn, form } = both(more);
    expect(form.turn.tools.map((tool) => turn.tools.indexOf(tool))).toEqual(turn.tools.map((_, index) => index));
    expect(form.turn.choice).toEqual(turn.choice);
    expect(form.history(turn.input)).toBe(turn.input);
    expect(form).toMatchObject({ converts: false, dropped: [] });
    expect(form.original("n__g")).toBeUndefined();
  });

  it("keeps deferred tools beside a search that its provider knows", () => {
    const form = formOf({ tools: [search, plain("f", { defer_loading: true })] }, everything);
    expect(namesOf(form)).toEqual(["tool_search", "f"]);
  });
});
