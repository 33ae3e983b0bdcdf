import { type FilePart, type ImagePart, type Part, TurnError } from "../../turn/index.ts";
import { imageType, imageTypes } from "./image-type.ts";

/** A message part in a form that Codex can show to the model. Errors name `param` as its position in the request. */
export function asShown(part: Part, param: string): Part {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "refusal":
      return { type: "text", text: part.refusal };
    case "image":
      return shownImage(part, param);
    case "file":
      return { type: "text", text: `[a file${nameOf(part)} that cannot be shown to this model]` };
    case "opaque":
      return { type: "text", text: "[a part that cannot be shown to this model]" };
  }
}

/** Whether the image is given by URL instead of as data. */
export function isRemote(part: Part): part is ImagePart & { url: string } {
  return part.type === "image" && part.url !== undefined && !/^data:/i.test(part.url);
}

/** Codex silently drops an image of low detail, and refuses unknown values of `detail`. */
function shownImage(image: ImagePart, param: string): ImagePart {
  if (isRemote(image)) throw remoteImage(param);
  const { url, fileId, detail } = image;
  if (fileId === undefined && !isReadable(url)) throw unreadable(param);
  return { type: "image", url, fileId, detail: detail === "high" || detail === "original" ? detail : "auto" };
}

/** Codex drops an image that it cannot read, and reports that to the model instead of the client. */
function isReadable(url: string | undefined): boolean {
  const [, data = ""] = /^data:[^,]*;base64,([\s\S]{0,64})/i.exec(url ?? "") ?? [];
  return imageType(Buffer.from(data, "base64")) !== undefined;
}

function unreadable(param: string): TurnError {
  const message = `An image is no ${imageTypes} image in base64, so that the model could not see it.`;
  return new TurnError("unsupported_value", message, { param });
}

function remoteImage(param: string): TurnError {
  return new TurnError(
    "unsupported_value",
    "An image is given by an address on the network, and Codex does not fetch images. Send the image itself, as a data: URL, or set fetch_images for this backend.",
    { param },
  );
}

function nameOf({ name }: FilePart): string {
  return name === undefined ? "" : ` ${JSON.stringify(name)}`;
}
