import type { RequestLimits } from "../../src/wire/index.ts";

/** For tests that are about something else. */
export const noLimits: RequestLimits = { toolOutput: Number.POSITIVE_INFINITY };
