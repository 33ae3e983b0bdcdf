import OpenAI from "openai";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import type { Response, ResponseInputItem, Tool } from "openai/resources/responses/responses";
import type { Api } from "../../support/api.ts";
import { conversation, type Reply, type ScriptRequest } from "../../support/provider.ts";
import { cities, question } from "./script.ts";

export const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

/** Both APIs, streamed and whole. */
export const forms: [api: Api, form: string, stream: boolean][] = [
  ["chat", "stream", true],
  ["chat", "whole", false],
  ["responses", "stream", true],
  ["responses", "whole", false],
];

/** A turn as the openai client has it. */
export interface ClientTurn {
  text: string;
  calls: { id: string; name: string; arguments: string }[];
  finish: string | undefined;
  usage: { input: number; output: number } | undefined;
}

/** What a program does: it asks, runs what the model calls, gives the results back, and has the answer. */
export async function weatherTrip(url: string, api: Api, model: string, stream: boolean): Promise<ClientTurn[]> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
  return api === "chat" ? chatTrip(client, model, stream) : responsesTrip(client, model, stream);
}

export function weatherIn(text: string): string {
  return `${(JSON.parse(text) as { city: string }).city}: 21`;
}

/** A model that has tools: it calls one for each city, and then repeats what it is told. */
export function weatherModel({ body }: ScriptRequest): Reply {
  const outputs = conversation(body).flatMap((entry) => (entry.kind === "output" ? [entry.text] : []));
  if (outputs.length > 0) {
    return { say: `Final: ${outputs.join(" and ")}.`, chunk: 3, usage: { input: 60, output: 8 } };
  }
  return {
    say: "Let me look.",
    calls: cities.map((city) => ({ name: "get_weather", arguments: JSON.stringify({ city }) })),
    interleave: true,
    chunk: 3,
    usage: { input: 40, output: 12 },
  };
}

const record = /\[function_call_output call_id=("(?:[^"\\]|\\.)*") output=("(?:[^"\\]|\\.)*")\]/g;

/** A model that knows only text: it does what the catalog in its prompt says, and reads the results out of records. */
export function textModel({ body }: ScriptRequest): Reply {
  const text = conversation(body)
    .map((entry) => ("text" in entry ? entry.text : ""))
    .join("\n");
  if (!text.includes("# CLIENT TOOL CATALOG")) return { say: "I have no tools." };
  const results = [...text.matchAll(record)].map(([, , output = '""']) => String(JSON.parse(output)));
  if (results.length > 0) return { say: `Final: ${results.join(" and ")}.`, chunk: 3 };
  return { say: `Let me look.\n${cities.map(sentinel).join("\n")}`, chunk: 3 };
}

/** A call as the catalog teaches it. */
export function sentinel(city: string): string {
  const call = { name: "get_weather", arguments: JSON.stringify({ city }) };
  return `<tool_call>${JSON.stringify(call)}</tool_call>`;
}

async function chatTrip(client: OpenAI, model: string, stream: boolean): Promise<ClientTurn[]> {
  const tools: ChatCompletionTool[] = [
    { type: "function", function: { name: "get_weather", description: "Weather now", parameters, strict: true } },
  ];
  const messages: ChatCompletionMessageParam[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: question },
  ];
  const turns: ClientTurn[] = [];
  for (;;) {
    const request = { model, messages, tools };
    const completion = stream
      ? await client.chat.completions
          .stream({ ...request, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await client.chat.completions.create(request);
    const [choice] = completion.choices;
    const calls = (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === "function" ? [{ id: call.id, ...call.function }] : [],
    );
    const { usage } = completion;
    turns.push({
      text: choice?.message.content ?? "",
      calls: calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text })),
      finish: choice?.finish_reason,
      usage: usage ? { input: usage.prompt_tokens, output: usage.completion_tokens } : undefined,
    });
    if (calls.length === 0 || turns.length > 3 || !choice) return turns;
    messages.push(choice.message);
    for (const { id, arguments: text } of calls)
      messages.push({ role: "tool", tool_call_id: id, content: weatherIn(text) });
  }
}

async function responsesTrip(client: OpenAI, model: string, stream: boolean): Promise<ClientTurn[]> {
  const tools: Tool[] = [
    { type: "function", name: "get_weather", description: "Weather now", parameters, strict: true },
  ];
  const input: ResponseInputItem[] = [{ role: "user", content: question }];
  const turns: ClientTurn[] = [];
  for (;;) {
    const request = { model, input, tools, instructions: "Be brief." };
    const response: Response = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    const calls = response.output.filter((item) => item.type === "function_call");
    const { usage } = response;
    turns.push({
      text: response.output_text,
      calls: calls.map(({ call_id, name, arguments: text }) => ({ id: call_id, name, arguments: text })),
      finish: response.status,
      usage: usage ? { input: usage.input_tokens, output: usage.output_tokens } : undefined,
    });
    if (calls.length === 0 || turns.length > 3) return turns;
    input.push(...(response.output as ResponseInputItem[]));
    for (const { call_id, arguments: text } of calls)
      input.push({ type: "function_call_output", call_id, output: weatherIn(text) });
  }
}
