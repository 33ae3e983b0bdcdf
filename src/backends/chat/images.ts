import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";

/**
 * An image that the model generated, as an item. Chat providers send it in `images` beside the message's content. `undefined` for
 * an image given by URL, because the item holds only image data.
 */
export function imageItem(image: JsonValue): JsonObject | undefined {
  if (!isObject(image)) return undefined;
  const url = isObject(image.image_url) ? image.image_url.url : image.image_url;
  const head = typeof url === "string" ? dataUrl.exec(url.slice(0, longestHead)) : null;
  if (typeof url !== "string" || !head) return undefined;
  const [{ length }, format = ""] = head;
  const result = url.slice(length);
  return { type: "image_generation_call", status: "completed", output_format: format, result };
}

/** An image may be large, so only its beginning is looked at. */
const longestHead = 1_024;
const dataUrl = /^data:image\/([\w.+-]+);base64,(?=[A-Za-z0-9+/=]*$)/;
