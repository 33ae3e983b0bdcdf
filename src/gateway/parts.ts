import type { Parts } from "../config/index.ts";
import { dialects } from "../dialects/index.ts";

/** What this version supports. A configuration that asks for more is a mistake. */
export const parts: Parts = {
  dialects: [...new Set(dialects.filter(({ internal }) => !internal).map(({ name }) => name))],
};
