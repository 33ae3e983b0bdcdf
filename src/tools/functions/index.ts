export { FunctionAdapter } from "./adapter.ts";
export { FreeText } from "./free-text.ts";
export { bringsTools, type ToolIdentity } from "./gather.ts";
export { isDefaultNamespace } from "./names.ts";
