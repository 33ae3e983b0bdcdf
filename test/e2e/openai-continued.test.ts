import { openaiById } from "./support/continued.ts";
import { describeRoundTrips, type Use } from "./support/round-trip.ts";

const use = (mode: string): Use => ({ client: ["openai"], mode, api: "responses" });
describeRoundTrips(use("`responses.stream`, continued by id"), openaiById(true), null);
describeRoundTrips(use("`responses.create`, continued by id"), openaiById(false), null);
