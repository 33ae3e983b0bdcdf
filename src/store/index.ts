export { InProcessMemory, type InProcessMemoryOptions } from "./in-process-memory.ts";
