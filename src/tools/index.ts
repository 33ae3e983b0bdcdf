export * from "./arguments.ts";
export * from "./catalog.ts";
export * from "./choice.ts";
