import type { Dialect } from "../dialect.ts";
import { writePythonCall } from "../reading/python-call.ts";
import { llamaPythonic } from "./llama-pythonic.ts";

/** `<function_calls>f(a="x")\ng(b=[1], c=True)</function_calls>`: one call a line. */
export const olmo3: Dialect = {
  ...llamaPythonic,
  name: "olmo3",
  models: "OLMo 3",
  openers: ["<function_calls>"],
  write: (calls) => `<function_calls>${calls.map(writePythonCall).join("\n")}</function_calls>`,
};
