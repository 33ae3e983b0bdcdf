import type { Dialect } from "../dialect.ts";
import { hermesJson } from "./hermes-json.ts";
import { qwen3FunctionXml } from "./qwen3-function-xml.ts";

/** Every dialect that Toolwire reads. Where two share an opener, the first that can read a block has it. */
export const dialects: readonly Dialect[] = [hermesJson, qwen3FunctionXml];
