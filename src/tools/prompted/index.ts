export { sentinelBlock } from "./catalog.ts";
export { readPrompted } from "./read.ts";
export { promptTurn } from "./turn.ts";
