import { isObject, type JsonObject, type JsonValue } from "../turn/index.ts";

/**
 * What in an object says that the provider failed, in one of the forms that providers have for it; nothing where the object is
 * something else, such as a sign of life.
 */
export function reportedError(object: JsonObject): JsonValue | undefined {
  const { error, code } = object;
  if (typeof error === "string" && error !== "") return withStatus({ message: error }, object);
  if (isObject(error)) return withStatus(error, object);
  if (error) return typeof error === "object" ? error : object;
  if (object.object === "error" || object.type === "error") return object;
  // FastAPI's form; vLLM and others answer so when they fail outside of the model.
  if (object.detail) return object;
  if (Array.isArray(object.errors) && object.errors.length > 0) return object.errors[0];
  const isCoded = typeof code === "string" || (typeof code === "number" && code !== 0 && code !== 200);
  return isCoded && typeof object.message === "string" ? object : undefined;
}

/** Some providers write the status beside the error and not in it. */
function withStatus(error: JsonObject, { code, status, status_code }: JsonObject): JsonObject {
  return { code, status, status_code, ...error };
}
