import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";

/**
 * An image that the model generated, as an item. Chat providers send it in `images` beside the message's content. `undefined` for
 * an image given by URL, because the item holds only image data.
 */
export function imageItem(image: JsonValue): JsonObject | undefined {
  if (!isObject(image)) return undefined;
  const url = isObject(image.image_url) ? image.image_url.url : image.image_url;
  const data = typeof url === "string" ? dataUrl.exec(url) : null;
  if (!data) return undefined;
  return { type: "image_generation_call", status: "completed", output_format: data[1], result: data[2] };
}

const dataUrl = /^data:image\/([\w.+-]+);base64,([A-Za-z0-9+/=]*)$/;
