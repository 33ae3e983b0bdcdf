import {
  asObject,
  type CallKind,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPath,
  optionalArray,
  optionalString,
  requiredString,
  type Tool,
  type ToolChoice,
  type ToolName,
  TurnError,
  unread,
  type WireFormat,
} from "../turn/index.ts";

/** The client's `tool_choice`, in the flat (Responses) or nested (Chat) form. */
export function readChoice(value: JsonValue | undefined, format: WireFormat, at = "tool_choice"): ToolChoice {
  if (value === undefined || value === null || value === "auto") return { mode: "auto" };
  if (value === "none") return { mode: "none" };
  if (value === "required" || value === "any") return { mode: "required" };
  if (typeof value === "string") throw unknownChoice(value, at);
  const choice = asObject(value, at);
  const type = requiredString(choice, "type", at);
  if (type === "function" || type === "custom") return { mode: "forced", tool: readToolName(choice, type, at) };
  if (type === "allowed_tools") return readAllowed(choice, at);
  if (type === "auto" || type === "none" || type === "required") return { mode: type };
  return { mode: "hosted", format, choice };
}

/** The legacy `function_call` parameter of Chat. */
export function readFunctionChoice(value: JsonValue | undefined, at = "function_call"): ToolChoice {
  if (value === undefined || value === null || value === "auto") return { mode: "auto" };
  if (value === "none") return { mode: "none" };
  if (typeof value === "string") throw unknownChoice(value, at);
  return { mode: "forced", tool: { kind: "function", name: requiredString(asObject(value, at), "name", at) } };
}

/** A forced tool must be in `tools`. With a hosted tool the check is skipped, since it may contain names that are not read here. */
export function checkChoice(choice: ToolChoice, tools: readonly Tool[], at = "tool_choice"): void {
  if (choice.mode !== "forced" || tools.some((tool) => tool.type === "hosted")) return;
  const { name } = choice.tool;
  if (tools.some((tool) => tool.type !== "hosted" && tool.name === name)) return;
  throw new TurnError("invalid_request", `\`${at}\` names the tool "${name}", which is not in \`tools\`.`, {
    param: at,
  });
}

/** A call, or a tool that could be called. */
interface Callable {
  kind: CallKind;
  name: string;
  namespace?: string | undefined;
}

/** Whether the choice permits a call of this tool. */
export function permits(choice: ToolChoice, call: Callable): boolean {
  switch (choice.mode) {
    case "none":
      return false;
    case "forced":
      return isNamed(choice.tool, call);
    case "allowed":
      return isAllowed(allowedBy(choice), call);
    default:
      return true;
  }
}

/** The tools that a choice allows, so that a call is found without reading the whole list. */
interface AllowedTools {
  /** The namespaces of the allowed tools, by kind and name. A tool without a namespace allows all of them. */
  namespaces: Map<string, Set<string | undefined>>;
  /** Namespaces that are allowed as a whole. */
  whole: Set<JsonValue | undefined>;
}

const known = new WeakMap<ToolChoice, AllowedTools>();

function allowedBy(choice: ToolChoice & { mode: "allowed" }): AllowedTools {
  const found = known.get(choice);
  if (found) return found;
  const namespaces: AllowedTools["namespaces"] = new Map();
  for (const { kind, name, namespace } of choice.tools) {
    const key = `${kind} ${name}`;
    const same = namespaces.get(key) ?? new Set();
    namespaces.set(key, same.add(namespace));
  }
  const allowed = { namespaces, whole: new Set(choice.others.map(({ name }) => name)) };
  known.set(choice, allowed);
  return allowed;
}

function isAllowed({ namespaces, whole }: AllowedTools, { kind, name, namespace }: Callable): boolean {
  const named = namespaces.get(`${kind} ${name}`);
  if (named && (named.has(undefined) || named.has(namespace))) return true;
  return namespace !== undefined && whole.has(namespace);
}

/** Whether a turn that ends without any call breaks the choice. */
export function demandsCall(choice: ToolChoice): boolean {
  return choice.mode === "required" || choice.mode === "forced" || (choice.mode === "allowed" && choice.required);
}

/** A demanded call that no offered tool can make is an error of the request, so no model is asked. */
export function checkDemand(choice: ToolChoice, offered: readonly Tool[], at = "tool_choice"): void {
  if (!demandsCall(choice)) return;
  if (offered.some((tool) => tool.type === "hosted" || permits(choice, { kind: tool.type, name: tool.name }))) return;
  const message = `\`${at}\` demands a call, but no tool that it lets through can be offered to this model.`;
  throw new TurnError("invalid_request", message, { param: at });
}

function isNamed(tool: ToolName, { kind, name, namespace }: Callable): boolean {
  if (tool.kind !== kind || tool.name !== name) return false;
  return tool.namespace === undefined || tool.namespace === namespace;
}

function readAllowed(choice: JsonObject, at: string): ToolChoice {
  const nested = choice.allowed_tools;
  const allowed = isObject(nested) ? nested : choice;
  const path = isObject(nested) ? joinPath(at, "allowed_tools") : at;
  const mode = optionalString(allowed, "mode", path) ?? "auto";
  const tools: ToolName[] = [];
  const others: JsonObject[] = [];
  (optionalArray(allowed, "tools", path) ?? []).forEach((value, index) => {
    const toolPath = joinPath(joinPath(path, "tools"), index);
    const tool = asObject(value, toolPath);
    const type = requiredString(tool, "type", toolPath);
    if (type === "function" || type === "custom") tools.push(readToolName(tool, type, toolPath));
    else others.push(tool);
  });
  return { mode: "allowed", required: mode === "required", tools, others };
}

function readToolName(value: JsonObject, kind: CallKind, at: string): ToolName {
  const nested = value[kind];
  if (isObject(nested)) return { kind, name: requiredString(nested, "name", joinPath(at, kind)) };
  return {
    kind,
    name: requiredString(value, "name", at),
    namespace: optionalString(value, "namespace", at),
    extensions: unread(value, readOfToolName, "responses"),
  };
}

const readOfToolName = new Set(["type", "name", "namespace"]);

function unknownChoice(value: string, at: string): TurnError {
  return new TurnError(
    "unsupported_value",
    `\`${at}\` is "${value}"; it can be "auto", "none", "required" or an object that names a tool.`,
    { param: at },
  );
}
