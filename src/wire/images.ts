import { isObject, type JsonObject } from "../turn/index.ts";

/**
 * Images that a model made. Chat has them as `images` beside a message's content, Responses as items of their own; each is
 * written in the other's form, so that no client gets an empty answer in the place of a picture.
 */
export function imagesOfItem(item: JsonObject): JsonObject[] {
  if (item.type !== "image_generation_call" || typeof item.result !== "string") return [];
  const format = typeof item.output_format === "string" ? item.output_format : "png";
  return [{ type: "image_url", image_url: { url: `data:image/${format};base64,${item.result}` } }];
}

export function itemsOfImages(fields: JsonObject): JsonObject[] {
  const images = Array.isArray(fields.images) ? fields.images.filter(isObject) : [];
  return images.flatMap(({ image_url: image }) => {
    const url = isObject(image) ? image.url : image;
    const data = typeof url === "string" ? dataUrl.exec(url) : null;
    if (!data) return [];
    return [{ type: "image_generation_call", status: "completed", output_format: data[1], result: data[2] }];
  });
}

const dataUrl = /^data:image\/([\w.+-]+);base64,([A-Za-z0-9+/=]*)$/;
