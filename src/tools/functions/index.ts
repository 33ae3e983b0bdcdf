export { FunctionForm } from "./form.ts";
export { FreeText } from "./free-text.ts";
export { isToolList, type ToolIdentity } from "./gather.ts";
