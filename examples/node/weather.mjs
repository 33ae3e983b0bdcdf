// A tool round trip on both APIs with OpenAI's own client: npm install openai, then node weather.mjs
//   TOOLWIRE_URL (http://127.0.0.1:8787)   TOOLWIRE_MODEL (demo)   TOOLWIRE_KEY (none)
import OpenAI from "openai";

const url = (process.env.TOOLWIRE_URL ?? "http://127.0.0.1:8787").replace(/\/+$/, "").replace(/\/v1$/, "");
const model = process.env.TOOLWIRE_MODEL ?? "demo";
// The client wants a key; a gateway without keys does not look at it.
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: process.env.TOOLWIRE_KEY || "none" });

const question = "What is the weather in Lisbon?";
const description = "The current weather of a city";
const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

/** The tool itself. */
function getWeather({ city }) {
  return JSON.stringify({ city, temperature_c: 21, sky: "clear" });
}

/** Responses: the loop by hand. Everything that came out goes back in, with a result for each call. */
async function responses() {
  const tools = [{ type: "function", name: "get_weather", description, parameters, strict: true }];
  const input = [{ role: "user", content: question }];
  for (let round = 0; round < 5; round++) {
    const stream = client.responses.stream({ model, input, tools });
    stream.on("response.function_call_arguments.done", (event) => console.log(`  model  calls ${event.arguments}`));
    const { output, output_text: text } = await stream.finalResponse();
    const calls = output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return text;
    // The client adds fields of its own to what it parsed, which some providers refuse.
    input.push(...output.map(({ parsed_arguments: _, ...item }) => item));
    for (const call of calls) {
      const result = getWeather(JSON.parse(call.arguments));
      console.log(`  tool   ${result}`);
      input.push({ type: "function_call_output", call_id: call.call_id, output: result });
    }
  }
  throw new Error("The model still calls tools after five rounds.");
}

/** Chat Completions: the client runs the loop. */
async function chat() {
  const runner = client.chat.completions.runTools({
    model,
    stream: true,
    messages: [{ role: "user", content: question }],
    tools: [
      {
        type: "function",
        function: {
          name: "get_weather",
          description,
          parameters,
          strict: true,
          parse: JSON.parse,
          function: getWeather,
        },
      },
    ],
  });
  runner.on("functionToolCall", (call) => console.log(`  model  calls ${call.arguments}`));
  runner.on("functionToolCallResult", (result) => console.log(`  tool   ${result}`));
  return runner.finalContent();
}

console.log(`user: ${question}\n`);
console.log(`Responses: ${await responses()}\n`);
console.log(`Chat Completions: ${await chat()}`);
