import type { Dialect } from "../dialect.ts";
import { apriel } from "./apriel.ts";

/** `<tool_calls>[{"name": …, "arguments": {…}}]</tool_calls>`, as Apriel. */
export const jamba: Dialect = { ...apriel, name: "jamba", models: "Jamba", hidden: [] };
