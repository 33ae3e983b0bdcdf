/** The type of an image by its first bytes, whatever its declared type; `undefined` if models do not support it. */
export function imageType(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 12).toString("latin1");
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (start.startsWith("\xff\xd8\xff")) return "jpeg";
  if (/^GIF8[79]a/.test(start)) return "gif";
  return /^RIFF[\s\S]{4}WEBP/.test(start) ? "webp" : undefined;
}

export const imageTypes = "PNG, JPEG, GIF or WebP";
