export { sentinelBlock } from "./catalog.ts";
export { writeFormat } from "./format.ts";
export { readPrompted } from "./read.ts";
export { callRecord, outputRecord } from "./record.ts";
export { promptTurn } from "./turn.ts";
