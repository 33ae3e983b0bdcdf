import { describe, expect, it } from "vitest";
import { requestFor } from "../support/gateway.ts";
import { itemsReply } from "../support/provider.ts";
import { input, onStage, patch, request, toolNames, tools } from "./function-adapters.ts";

const { play } = onStage();
const forms = [true, false] as const;
const wish = { tools: [{ name: "apply_patch", kind: "custom" as const }] };

describe("a backend that knows these tools itself", () => {
  const call = { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "apply_patch", input: patch };
  const search = {
    type: "tool_search_call",
    id: "tsc_1",
    call_id: "call_2",
    execution: "client",
    arguments: { query: "q" },
    status: "completed",
  };
  const read = {
    type: "function_call",
    id: "fc_1",
    call_id: "call_3",
    name: "read",
    namespace: "files",
    arguments: "{}",
    status: "completed",
  };

  it.each(forms)("is offered them as they are, and its calls are given as they are (stream: %s)", async (stream) => {
    const reply = stream
      ? itemsReply([call, search, read])
      : { whole: { id: "resp_1", object: "response", status: "completed", output: [call, search, read] } };
    const { answer, asked } = await play("responses", request("responses/m", { stream }), reply);
    expect(asked[0]?.tools).toMatchObject(tools);
    expect(answer.items).toMatchObject([call, search, read]);
  });

  it("is told of calls and of what was found as the client wrote it, and of no tools beside", async () => {
    const found = { type: "tool_search_output", call_id: "call_2", execution: "client", status: "completed" };
    const list = [{ type: "namespace", name: "sky", tools: [{ type: "function", name: "weather" }] }];
    const more = { type: "additional_tools", role: "developer", tools: [{ type: "function", name: "more" }] };
    const history = [
      { role: "user", content: "Do it." },
      more,
      call,
      { type: "custom_tool_call_output", call_id: "call_1", output: "ok" },
      search,
      { ...found, tools: list },
      read,
      { type: "function_call_output", call_id: "call_3", output: "text" },
    ];
    const { asked } = await play("responses", request("responses/m", { input: history }), { say: "ok" });
    expect(asked[0]?.input).toMatchObject([{ role: "user" }, ...history.slice(1)]);
    expect(toolNames(asked[0])).toEqual(["look", "apply_patch", "files", "mail", "tool_search"]);
  });

  it.each(forms)("has the free-text tools of a Chat client too (stream: %s)", async (stream) => {
    const body = requestFor("chat", { ...wish, model: "responses/m", stream });
    const { answer, asked } = await play("chat", body, {
      calls: [{ name: "apply_patch", kind: "custom", arguments: patch }],
    });
    expect(asked[0]?.tools).toMatchObject([{ type: "custom", name: "apply_patch" }]);
    expect(answer.calls).toMatchObject([{ kind: "custom", arguments: patch }]);
  });
});

describe("legacy functions", () => {
  it.each(forms)("are none of this (stream: %s)", async (stream) => {
    const body = {
      model: "chat/m",
      stream,
      messages: [{ role: "user", content: "hi" }],
      functions: [{ name: "look", parameters: { type: "object", properties: { input: { type: "string" } } } }],
    };
    const { answer } = await play("chat", body, { calls: [{ name: "look", arguments: input("x") }] });
    expect(answer.functionCall).toEqual({ name: "look", arguments: input("x") });
  });
});

describe("a Chat client", () => {
  it("has no namespaces and no search, and is told that they are left out", async () => {
    const body = { ...requestFor("chat", { model: "chat/m" }), tools };
    const { answer, asked } = await play("chat", body, { say: "ok" });
    expect(toolNames(asked[0])).toEqual(["look", "apply_patch"]);
    expect(answer.headers.get("x-toolwire-dropped-tools")).toBe("namespace:files, namespace:mail, tool_search");
  });
});
