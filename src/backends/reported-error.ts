import { isObject, type JsonObject, type JsonValue } from "../turn/index.ts";

/**
 * The provider's error in an object, in any of the forms that providers use; `undefined` if the object is something else, for
 * example a keep-alive.
 */
export function reportedError(object: JsonObject): JsonValue | undefined {
  const { error, code } = object;
  if (typeof error === "string" && error !== "") return withStatus({ message: error }, object);
  if (isObject(error)) return withStatus(error, object);
  if (error) return typeof error === "object" ? error : object;
  if (object.object === "error" || object.type === "error") return object;
  // FastAPI's format; vLLM and others use it for failures outside of the model.
  if (object.detail) return object;
  if (Array.isArray(object.errors) && object.errors.length > 0) return object.errors[0];
  const isCoded = typeof code === "string" || (typeof code === "number" && code !== 0 && code !== 200);
  return isCoded && typeof object.message === "string" ? object : undefined;
}

/** Some providers put the status beside the error instead of in it. */
function withStatus(error: JsonObject, { code, status, status_code }: JsonObject): JsonObject {
  return { code, status, status_code, ...error };
}
