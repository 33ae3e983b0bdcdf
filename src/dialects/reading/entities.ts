const entity = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g;
const longest = "&#x10FFFF;".length;
const characters: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Decodes the entities of XML. Anything else is unchanged. */
export function unescapeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(entity, (whole, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return characters[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

export function escapeEntities(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** Decodes entities in streamed text, where one may be split across chunks. */
export class Entities {
  #held = "";

  add(text: string): string {
    if (this.#held === "" && !text.includes("&")) return text;
    const all = this.#held + text;
    const last = all.lastIndexOf("&");
    const isCut = last !== -1 && all.length - last < longest && !all.includes(";", last);
    this.#held = isCut ? all.slice(last) : "";
    return unescapeEntities(isCut ? all.slice(0, last) : all);
  }

  end(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}
