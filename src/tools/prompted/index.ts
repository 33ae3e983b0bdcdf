export { sentinelBlock } from "./catalog.ts";
export { writeFormat } from "./format.ts";
export { readPrompted } from "./read.ts";
export { callRecord, outputRecord } from "./record.ts";
export { promptSteps, promptTurn } from "./turn.ts";
