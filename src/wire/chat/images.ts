import { givenBack, type JsonObject, type OpaqueItem } from "../../turn/index.ts";

/**
 * Images that the model generated: Chat Completions has them as `images` beside a message's content, Responses as separate items.
 */
export function writeImages({ fields, extensions }: Pick<OpaqueItem, "fields" | "extensions">): JsonObject | undefined {
  const own = givenBack(extensions, "chat");
  if (own) return own;
  if (fields.type !== "image_generation_call" || typeof fields.result !== "string") return undefined;
  const format = typeof fields.output_format === "string" ? fields.output_format : "png";
  return { images: [{ type: "image_url", image_url: { url: `data:image/${format};base64,${fields.result}` } }] };
}
