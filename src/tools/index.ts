export * from "./arguments.ts";
export * from "./catalog.ts";
export * from "./choice.ts";
export * from "./functions/index.ts";
export * from "./prompted/index.ts";
export * from "./sentinel.ts";
export * from "./validation/index.ts";
