import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";

/**
 * An image that a model made, as an item of its own: chat providers have it among the `images` beside a message's content. Nothing
 * where the image is not in the answer itself, since the item has a place only for its data.
 */
export function imageItem(image: JsonValue): JsonObject | undefined {
  if (!isObject(image)) return undefined;
  const url = isObject(image.image_url) ? image.image_url.url : image.image_url;
  const data = typeof url === "string" ? dataUrl.exec(url) : null;
  if (!data) return undefined;
  return { type: "image_generation_call", status: "completed", output_format: data[1], result: data[2] };
}

const dataUrl = /^data:image\/([\w.+-]+);base64,([A-Za-z0-9+/=]*)$/;
