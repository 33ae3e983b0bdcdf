import { describe, expect, it } from "vitest";
import {
  called,
  custom,
  formOf,
  found,
  legalName,
  namesOf,
  namespace,
  plain,
  search,
  toldNames,
  turnOf,
} from "./function-adapters.ts";

describe("the name under which a tool is offered as a function", () => {
  it("is its own where it stands in no namespace, and has the namespace before it where it stands in one", () => {
    const form = formOf({ tools: [plain("look"), custom("apply_patch"), namespace("agents", ["spawn", "wait"])] });
    expect(namesOf(form)).toEqual(["look", "apply_patch", "agents__spawn", "agents__wait"]);
    expect(form.original("look")).toBeUndefined();
    expect(form.original("apply_patch")).toMatchObject({ kind: "custom", name: "apply_patch" });
    expect(form.original("agents__spawn")).toMatchObject({ kind: "function", name: "spawn", namespace: "agents" });
  });

  it("is its own in the namespace `functions`, which stands for none", () => {
    const form = formOf({ tools: [namespace("functions", ["look"])] });
    expect(namesOf(form)).toEqual(["look"]);
    expect(form.original("look")).toMatchObject({ name: "look", namespace: "functions" });
  });

  it.each<[string, Parameters<typeof formOf>[0]["tools"]]>([
    ["a function of the client has it", [namespace("a", ["b"]), plain("a__b")]],
    ["a function of the client has it that comes first", [plain("a__b"), namespace("a", ["b"])]],
    ["two namespaces and names come to the same", [namespace("a__b", ["c"]), namespace("a", ["b__c"])]],
    ["two differ only in characters that are replaced", [custom("a.b"), custom("a:b")]],
    ["a tool that takes free text is named like a function", [plain("run"), custom("run")]],
    ["`functions` has one that is named like a function", [plain("run"), namespace("functions", ["run"])]],
    ["a namespace has both kinds of one name", [namespace("n", [plain("run"), custom("run")])]],
    ["a tool is named like the search", [custom("tool_search"), search]],
    ["a function is named like the search", [plain("tool_search"), search]],
    ["two long ones begin alike", [custom(`${"x".repeat(80)}1`), custom(`${"x".repeat(80)}2`)]],
  ])("is another where %s", (_why, tools = []) => {
    const form = formOf({ tools });
    const names = namesOf(form);
    expect(names).toHaveLength(2);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(legalName);
  });

  it("is the same in two namespaces for nobody", () => {
    const form = formOf({ tools: [namespace("files", ["read"]), namespace("mail", ["read"])] });
    expect(namesOf(form).map((name) => form.original(name)?.namespace)).toEqual(["files", "mail"]);
  });

  it("is left alone where the client's own functions have it, however unusual", () => {
    expect(namesOf(formOf({ tools: [plain("a.b/c"), custom("a.b/c")] }))[0]).toBe("a.b/c");
  });

  it.each([
    ["dots and slashes", "mcp.server/tool"],
    ["spaces", "do it now"],
    ["letters of other scripts", "天気"],
    ["half a character", "\ud83d"],
    ["line ends", "a\nb"],
    ["a prototype's", "__proto__"],
    ["256 characters", "é".repeat(256)],
  ])("is legal where its own has %s", (_what, name) => {
    for (const tool of [custom(name), namespace(name, [name]), namespace("n", [custom(name)])]) {
      const form = formOf({ tools: [tool] });
      const [given = ""] = namesOf(form);
      expect(given).toMatch(legalName);
      expect(form.original(given)?.name).toBe(name);
    }
  });

  it("tells tools apart whose names have line ends in them", () => {
    const form = formOf({ tools: [namespace("a", ["b\nc"]), namespace("a\nb", ["c"])] });
    expect(namesOf(form)).toHaveLength(2);
  });
});

describe("the name of a tool", () => {
  const tools = [
    plain("run"),
    custom("run"),
    namespace("a", ["b__c", "x".repeat(90)]),
    namespace("a__b", ["c", custom("天気")]),
    search,
  ];

  it("is the same in every request with the same tools", () => {
    expect(namesOf(formOf({ tools }))).toEqual(namesOf(formOf({ tools })));
  });

  it("is the same when the conversation goes on, and is used in its history", () => {
    const first = formOf({ tools });
    const input = [
      called("run"),
      called("run", undefined, "custom"),
      called("b__c", "a"),
      called("x".repeat(90), "a"),
      called("c", "a__b"),
      called("天気", "a__b", "custom"),
      { type: "tool_search_call", call_id: "s", execution: "client", arguments: { query: "q" } },
    ];
    const second = formOf({ tools, input });
    expect(namesOf(second)).toEqual(namesOf(first));
    expect(toldNames(second)).toEqual(namesOf(first));
  });

  it("does not change the names of others when it is found later", () => {
    const clash = namespace("a", ["b"]);
    const before = formOf({ tools: [search, namespace("c", ["d"])] });
    const after = formOf({ tools: [search, namespace("c", ["d"])], input: [found(clash, custom("patch"))] });
    expect(namesOf(after)).toEqual([...namesOf(before), "a__b", "patch"]);
  });

  it("that is no more among the tools is told all the same, and known when it is called again", () => {
    const form = formOf({
      tools: [custom("other")],
      input: [called("read", "files"), called("patch", undefined, "custom")],
    });
    expect(toldNames(form)).toEqual(["files__read", "patch"]);
    expect(form.original("files__read")).toMatchObject({ name: "read", namespace: "files" });
  });

  it("that is no more among the tools is not that of one that is", () => {
    const form = formOf({ tools: [plain("files__read"), custom("x")], input: [called("read", "files")] });
    const [name = ""] = toldNames(form);
    expect(name).not.toBe("files__read");
    expect(name).toMatch(legalName);
  });

  it("may be told any number of times", () => {
    const form = formOf({ tools, input: [called("c", "a__b"), called("gone", "n")] });
    const { input } = turnOf({ input: [called("c", "a__b"), called("gone", "n")] });
    expect(form.history(input)).toEqual(form.history(input));
  });
});

describe("a model that writes a name in another way", () => {
  const form = formOf({
    tools: [plain("look"), namespace("files", ["read", "write"]), namespace("mail", ["read"]), custom("my.tool")],
  });

  it.each([
    ["its namespace and a dot before it", "files.write", { name: "write", namespace: "files" }],
    ["no namespace, where one alone has it", "write", { name: "write", namespace: "files" }],
    ["a dot, where several namespaces have it", "mail.read", { name: "read", namespace: "mail" }],
    ["the characters that were replaced", "my.tool", { kind: "custom", name: "my.tool" }],
  ])("is understood with %s", (_how, written, tool) => {
    expect(form.original(form.offered(written))).toMatchObject(tool);
  });

  it.each([
    ["no namespace, where two have it", "read"],
    ["another namespace", "other.write"],
    ["a name that no tool has", "erase"],
    ["nothing", ""],
    ["the name of a function that is offered as it is", "look"],
  ])("is left alone with %s", (_how, written) => {
    expect(form.original(form.offered(written))).toBeUndefined();
  });
});
