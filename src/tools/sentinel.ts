/** The tags around a call that the prompt teaches to a model without native tools. */
export const sentinel = "<tool_call>";
export const sentinelEnd = "</tool_call>";

/** The dialect that reads these tags, and what models write instead of them. */
export const sentinelDialect = "hermes-json";
