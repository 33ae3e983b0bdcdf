export type { CallSettings } from "./calls.ts";
export { orderItems } from "./order.ts";
export { type ItemEvent, Settle } from "./settle.ts";
