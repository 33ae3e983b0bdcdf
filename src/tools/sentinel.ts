/** What begins and ends a call that a model without tools of its own is taught to write. */
export const sentinel = "<tool_call>";
export const sentinelEnd = "</tool_call>";

/** The dialect that it belongs to, which also reads what models write in its place. */
export const sentinelDialect = "hermes-json";
