import OpenAI from "openai";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import type { ResponseInputItem, ResponseOutputItem, Tool } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { bothBackends, startGateway } from "../support/gateway.ts";
import { conversation, type Provider, type Reply, type ScriptRequest, startProvider } from "../support/provider.ts";

const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const cities = ["Köln", "東京"];
const question = "The weather in Köln and 東京?";
const record = /\[function_call_output call_id=("(?:[^"\\]|\\.)*") output=("(?:[^"\\]|\\.)*")\]/g;

/** A model that knows only text: it does what the catalog in its prompt says, and then reads the results out of records. */
function textModel({ body }: ScriptRequest): Reply {
  const text = conversation(body)
    .map((entry) => ("text" in entry ? entry.text : ""))
    .join("\n");
  const prompt = typeof body.instructions === "string" ? body.instructions : text;
  if (body.tools !== undefined || !prompt.includes("# CLIENT TOOL CATALOG")) return { status: 400 };
  const results = [...text.matchAll(record)].map(([, , output = '""']) => String(JSON.parse(output)));
  if (results.length > 0) return { say: `Final: ${results.join(" and ")}.`, chunk: 3 };
  const blocks = cities.map((city) => {
    const call = { name: "get_weather", arguments: JSON.stringify({ city }) };
    return `<tool_call>${JSON.stringify(call)}</tool_call>`;
  });
  return { say: `Let me look.\n${blocks.join("\n")}\nIt is 45 degrees in both of them.`, chunk: 3 };
}

let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(textModel);
  gateway = await startGateway(bothBackends(provider, { tools: "prompted" }));
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const weather = (text: string) => `${(JSON.parse(text) as { city: string }).city}: 21`;
const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "none", maxRetries: 0 });

describe.each(["chat/m", "responses/m"])("the openai client before %s, which has no tools", (model) => {
  it.each([true, false])("asks, calls, answers on Chat (stream: %s)", async (stream) => {
    const tools: ChatCompletionTool[] = [
      { type: "function", function: { name: "get_weather", parameters, strict: true } },
    ];
    const messages: ChatCompletionMessageParam[] = [{ role: "user", content: question }];
    const ask = async () => {
      const request = { model, messages, tools };
      const completion = stream
        ? await client().chat.completions.stream(request).finalChatCompletion()
        : await client().chat.completions.create(request);
      return completion.choices[0];
    };
    const first = await ask();
    expect(first).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: expect.stringMatching(/^Let me look\.\s*$/) },
    });
    const calls = (first?.message.tool_calls ?? []).flatMap((call) =>
      call.type === "function" ? [{ id: call.id, arguments: call.function.arguments }] : [],
    );
    expect(calls.map((call) => JSON.parse(call.arguments))).toEqual(cities.map((city) => ({ city })));
    if (first) messages.push(first.message);
    for (const call of calls) {
      messages.push({ role: "tool", tool_call_id: call.id, content: weather(call.arguments) });
    }
    const last = await ask();
    expect(last).toMatchObject({ finish_reason: "stop", message: { content: "Final: Köln: 21 and 東京: 21." } });
  });

  it.each([true, false])("asks, calls, answers on Responses (stream: %s)", async (stream) => {
    const tools: Tool[] = [{ type: "function", name: "get_weather", parameters, strict: true }];
    const input: ResponseInputItem[] = [{ role: "user", content: question }];
    const ask = async (): Promise<{ output: ResponseOutputItem[]; output_text: string }> => {
      const request = { model, input, tools };
      return stream ? client().responses.stream(request).finalResponse() : client().responses.create(request);
    };
    const first = await ask();
    expect(first.output.map(({ type }) => type)).toEqual(["message", "function_call", "function_call"]);
    input.push(...(first.output as ResponseInputItem[]));
    for (const call of first.output.filter((item) => item.type === "function_call")) {
      input.push({ type: "function_call_output", call_id: call.call_id, output: weather(call.arguments) });
    }
    const last = await ask();
    expect(last.output_text).toBe("Final: Köln: 21 and 東京: 21.");
  });
});
