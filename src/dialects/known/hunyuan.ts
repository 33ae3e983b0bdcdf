import type { Dialect } from "../dialect.ts";
import { apriel } from "./apriel.ts";

/** `<tool_calls>[{"name": …, "arguments": {…}}]</tool_calls>`, as Apriel. */
export const hunyuan: Dialect = {
  ...apriel,
  name: "hunyuan",
  models: "Hunyuan A13B",
  hidden: [],
};
