import type { Parts } from "../config/index.ts";
import { dialects } from "../dialects/index.ts";

/** What this version is made of; a configuration that asks for more is told so. */
export const parts: Parts = {
  dialects: [...new Set(dialects.filter(({ internal }) => !internal).map(({ name }) => name))],
};
