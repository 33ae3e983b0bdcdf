/**
 * A wrong answer is an error, not a number. `expected` has the pieces of the text or of the arguments; every one must have come,
 * each by itself, and the answer must have ended as its API ends.
 */
export function checkAnswer({ status, chunks }, { api, stream, kind, pieces }) {
  const text = Buffer.concat(chunks).toString();
  if (status !== 200) throw new Error(`status ${status}: ${text.slice(0, 300)}`);
  const seen = stream ? streamReaders[api](payloads(text)) : wholeReaders[api](JSON.parse(text));
  const found = kind === "call" ? seen.arguments : seen.text;
  if (!seen.ended) throw new Error(`the answer has no proper end: …${text.slice(-200)}`);
  if (found.join("") !== pieces.join("")) throw new Error(`the ${kind} is not what the provider said`);
  if (found.length !== pieces.length) throw new Error(`${found.length} deltas came of ${pieces.length}`);
}

export function payloads(text) {
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line) => line.slice("data: ".length));
}

const streamReaders = {
  chat(data) {
    const choices = data.slice(0, -1).flatMap((payload) => JSON.parse(payload).choices ?? []);
    return {
      text: choices.flatMap(({ delta }) => delta.content || []),
      arguments: choices.flatMap(({ delta }) => delta.tool_calls?.[0].function.arguments || []),
      ended: data.at(-1) === "[DONE]" && choices.filter((choice) => choice.finish_reason).length === 1,
    };
  },
  responses(data) {
    const events = data.filter((payload) => payload !== "[DONE]").map((payload) => JSON.parse(payload));
    const deltas = (type) => events.filter((event) => event.type === type).map(({ delta }) => delta);
    return {
      text: deltas("response.output_text.delta"),
      arguments: deltas("response.function_call_arguments.delta"),
      ended: events.at(-1)?.type === "response.completed" && events.at(-1).response.output.length === 1,
    };
  },
};

const wholeReaders = {
  chat({ choices: [choice] }) {
    return { text: [choice.message.content], arguments: [], ended: choice.finish_reason === "stop" };
  },
  responses({ status, output: [item] }) {
    return { text: [item.content[0].text], arguments: [], ended: status === "completed" };
  },
};
