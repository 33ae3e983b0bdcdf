/** The items of the Responses API that raw events carry, made from what the other notifications say. */

export function message({ id, text, phase }) {
  const content = [{ type: "output_text", text }];
  return { type: "message", id, role: "assistant", content, ...(phase && { phase }) };
}

export function reasoning({ id, summary }) {
  return {
    type: "reasoning",
    id,
    summary: summary.map((text) => ({ type: "summary_text", text })),
    encrypted_content: `sealed-${id}`,
  };
}

export function functionCall({ id, name, namespace, arguments: text }) {
  const where = namespace ? { namespace } : {};
  return { type: "function_call", status: "completed", id: `fc_${id}`, name, ...where, arguments: text, call_id: id };
}

export function callOutput(id, output) {
  return { type: "function_call_output", id: `fco_${id}`, call_id: id, output };
}

/** `true` is what the scripted provider of the recordings asked for a response. */
export function usage(told) {
  const { input, output, cached, reasoning } = told === true ? recordedUsage : { ...nothing, ...told };
  return {
    totalTokens: input + output,
    inputTokens: input,
    cachedInputTokens: cached,
    cacheWriteInputTokens: 0,
    outputTokens: output,
    reasoningOutputTokens: reasoning,
  };
}

const recordedUsage = { input: 100, output: 20, cached: 7, reasoning: 3 };
const nothing = { input: 0, output: 0, cached: 0, reasoning: 0 };
