import { describe, expect, it } from "vitest";
import { type JsonObject, type JsonValue, TurnError } from "../../src/turn/index.ts";
import { called, custom, formOf, found, later, namesOf, namespace, plain, search } from "./function-adapters.ts";

const tools = [
  plain("look"),
  custom("apply_patch"),
  namespace("files", ["read", "write", custom("edit")]),
  namespace("mail", ["read"]),
  { type: "web_search" },
  search,
];

const choiceOf = (choice: JsonValue) => formOf({ tools, choice }).turn.choice;
const forced = (name: string) => ({ mode: "forced", tool: { kind: "function", name } });

describe("a choice of one tool", () => {
  it.each<[string, JsonObject, string]>([
    ["that takes free text", { type: "custom", name: "apply_patch" }, "apply_patch"],
    ["that takes free text, nested", { type: "custom", custom: { name: "apply_patch" } }, "apply_patch"],
    ["in a namespace", { type: "function", name: "read", namespace: "mail" }, "mail__read"],
    ["in a namespace, that takes free text", { type: "custom", name: "edit", namespace: "files" }, "files__edit"],
    ["by a name that one namespace has", { type: "function", name: "write" }, "files__write"],
    ["that is offered as it is", { type: "function", name: "look" }, "look"],
    ["that is the search", { type: "tool_search" }, "tool_search"],
  ])("%s is one of its function", (_which, choice, name) => {
    expect(choiceOf(choice)).toMatchObject(forced(name));
  });

  it("means the tool in no namespace before any other of its name", () => {
    const choice = { type: "function", name: "read" };
    expect(formOf({ tools: [namespace("files", ["read"]), plain("read")], choice }).turn.choice).toMatchObject(
      forced("read"),
    );
  });

  it("that is not offered stays what it was", () => {
    for (const choice of [{ type: "web_search" }, { type: "function", name: "read", namespace: "other" }]) {
      expect(JSON.stringify(choiceOf(choice))).toContain(JSON.stringify(Object.values(choice)[0]));
      expect(choiceOf(choice)).not.toMatchObject({ tool: { name: expect.stringContaining("__") } });
    }
  });

  it.each(["auto", "none", "required"])("%s stays", (mode) => {
    expect(choiceOf(mode)).toEqual({ mode });
  });
});

describe("a choice of several tools", () => {
  const allowed = (mode: string, ...list: JsonObject[]) => choiceOf({ type: "allowed_tools", mode, tools: list });

  it("is one of their functions, whatever they are", () => {
    expect(
      allowed(
        "auto",
        plain("look"),
        custom("apply_patch"),
        { type: "function", name: "write", namespace: "files" },
        { type: "namespace", name: "mail" },
        { type: "tool_search" },
        { type: "web_search" },
      ),
    ).toMatchObject({
      mode: "allowed",
      required: false,
      tools: ["look", "apply_patch", "files__write", "mail__read", "tool_search"].map((name) => ({
        kind: "function",
        name,
      })),
      others: [{ type: "web_search" }],
    });
  });

  it("means all tools of a namespace by its name, and all of one name in any of them", () => {
    expect(allowed("required", { type: "namespace", name: "files" })).toMatchObject({
      required: true,
      tools: [{ name: "files__read" }, { name: "files__write" }, { name: "files__edit" }],
      others: [],
    });
    expect(allowed("auto", plain("read"))).toMatchObject({ tools: [{ name: "files__read" }, { name: "mail__read" }] });
  });

  it("keeps what it cannot find", () => {
    expect(allowed("auto", plain("gone"), { type: "namespace", name: "gone" })).toMatchObject({
      tools: [{ name: "gone" }],
      others: [{ type: "namespace", name: "gone" }],
    });
  });
});

describe("a tool that is to be searched for", () => {
  const deferred = [plain("a", later), namespace("n", [plain("b", later), "c"]), custom("p", later)];
  const shown = (wish: Parameters<typeof formOf>[0]) => namesOf(formOf(wish)).filter((name) => name !== "tool_search");

  it("is not offered beside the search of the client", () => {
    expect(shown({ tools: [...deferred, search] })).toEqual(["n__c"]);
  });

  it("is offered where the client has no search, or its provider should have run it", () => {
    const all = ["a", "n__b", "n__c", "p"];
    expect(shown({ tools: deferred })).toEqual(all);
    expect(shown({ tools: [...deferred, { type: "tool_search" }] })).toEqual(all);
    expect(shown({ tools: [...deferred, { type: "tool_search", execution: "server" }] })).toEqual(all);
  });

  it("is offered once it was found", () => {
    const input = [found(plain("a", later), namespace("n", [plain("b", later)]))];
    expect(shown({ tools: [...deferred, search], input }).sort()).toEqual(["a", "n__b", "n__c"]);
  });

  it("is offered once it was called", () => {
    const input = [called("b", "n"), called("p", undefined, "custom")];
    expect(shown({ tools: [...deferred, search], input })).toEqual(["n__b", "n__c", "p"]);
    expect(shown({ tools: [...deferred, search], input: [called("b", "other")] })).toEqual(["n__c"]);
  });

  it.each<[string, JsonObject, string]>([
    ["by itself", { type: "function", name: "b", namespace: "n" }, "n__b"],
    ["among others", { type: "allowed_tools", tools: [{ type: "custom", name: "p" }] }, "p"],
    ["with its namespace", { type: "allowed_tools", tools: [{ type: "namespace", name: "n" }] }, "n__b"],
  ])("is offered where it is chosen %s", (_how, choice, name) => {
    expect(shown({ tools: [...deferred, search], choice })).toContain(name);
  });

  it("says what its namespace is about, when it is the first of it that is offered", () => {
    const about = namespace("n", [plain("b", later), "c"], { description: "All about n." });
    const [tool] = formOf({ tools: [about, search] }).turn.tools;
    expect(tool).toMatchObject({ name: "n__c", description: expect.stringContaining("All about n.") });
  });

  it("stands in the input too", () => {
    const list = { type: "additional_tools", tools: [...deferred, search] };
    expect(shown({ input: [list] })).toEqual(["n__c"]);
  });
});

describe("a tool that no function can stand for", () => {
  it("is named, by its name or its type", () => {
    const list = [
      { type: "web_search" },
      { type: "mcp", server_label: "s" },
      namespace("n", [{ type: "shell" }, "f", namespace("inner", [])]),
      { type: "tool_search" },
      { type: "namespace", name: "broken" },
    ];
    const form = formOf({ tools: list, input: [{ type: "additional_tools", tools: [{ type: "image_generation" }] }] });
    expect(namesOf(form)).toEqual(["n__f"]);
    expect(form.dropped).toEqual([
      "web_search",
      "mcp",
      "shell",
      "namespace:inner",
      "tool_search",
      "namespace:broken",
      "image_generation",
    ]);
  });
});

describe("a tool that is there twice", () => {
  it.each<[string, JsonObject]>([
    ["a function", plain("f", { description: "now" })],
    ["a tool that takes free text", custom("f", { description: "now" })],
    ["a tool of a namespace", namespace("n", [plain("f", { description: "now" })])],
    ["the search", { ...search, description: "now" }],
  ])("is offered once: %s in the tools and again in the input", (_what, tool) => {
    const before = JSON.parse(JSON.stringify(tool).replace("now", "once")) as JsonObject;
    const again = { type: "additional_tools", tools: [tool] };
    expect(namesOf(formOf({ tools: [before], input: [again] }))).toHaveLength(1);
  });

  it("is offered once where it is found that was there before", () => {
    const form = formOf({ tools: [search, plain("f"), custom("p")], input: [found(plain("f"), custom("p"))] });
    expect(namesOf(form)).toEqual(["tool_search", "f", "p"]);
  });
});

describe("a definition that cannot be read", () => {
  const bad = { type: "function", name: "" };

  it.each<[string, Parameters<typeof formOf>[0], string]>([
    ["in a namespace", { tools: [plain("x"), namespace("n", ["a", bad])] }, "tools[1].tools[1].name"],
    [
      "in a nested form",
      { tools: [namespace("n", [{ type: "custom", custom: {} }])] },
      "tools[0].tools[0].custom.name",
    ],
    ["without a type", { tools: [namespace("n", [{ name: "x" }])] }, "tools[0].tools[0].type"],
    [
      "in the input",
      {
        input: [
          { role: "user", content: "hi" },
          { type: "additional_tools", tools: [plain("x"), bad] },
        ],
      },
      "input[1].tools[1].name",
    ],
    [
      "in a namespace of the input",
      { input: [{ type: "additional_tools", tools: [plain("x"), namespace("n", ["a", bad])] }] },
      "input[0].tools[1].tools[1].name",
    ],
    ["that was found", { tools: [search], input: [found(plain("x"), bad)] }, "input[0].tools[1].name"],
    [
      "in a namespace that was found",
      { tools: [search], input: [found(plain("x"), namespace("n", [bad]))] },
      "input[0].tools[1].tools[0].name",
    ],
    ["as a list that is none", { input: [{ type: "additional_tools", tools: { a: 1 } }] }, "input[0].tools"],
    ["of parameters", { tools: [namespace("n", [plain("f", { parameters: "x" })])] }, "tools[0].tools[0].parameters"],
  ])("is refused with its place: %s", (_where, wish, param) => {
    const attempt = () => formOf(wish);
    expect(attempt).toThrow(TurnError);
    try {
      attempt();
    } catch (error) {
      expect(error).toMatchObject({ status: 400, body: { param } });
    }
  });
});
