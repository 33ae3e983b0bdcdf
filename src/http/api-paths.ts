import type { ClientApi } from "../turn/index.ts";
import type { Codec } from "../wire/index.ts";

/** Every API works under each prefix, because clients build their URLs from different base URLs. */
export const apiPrefixes = ["/v1", "", "/openai/v1"];

export function pathOf(url: string): string {
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}

/** Finds the API of a URL. Paths below an API's path belong to the same API. */
export class ApiPaths {
  readonly #codecs = new Map<string, Codec>();
  #longest = 0;

  constructor(codecs: readonly Codec[]) {
    for (const codec of codecs) for (const { path } of codec.routes) this.#add(path, codec);
  }

  #add(path: string, codec: Codec): void {
    for (const prefix of apiPrefixes) {
      const full = prefix + path;
      this.#codecs.set(full, codec);
      this.#longest = Math.max(this.#longest, full.length);
    }
  }

  codecOf(url: string): Codec | undefined {
    let path = pathOf(url);
    // A client may send any number of segments. No API's path is longer than this.
    if (path.length > this.#longest) path = path.slice(0, path.lastIndexOf("/", this.#longest));
    while (path !== "") {
      const codec = this.#codecs.get(path);
      if (codec) return codec;
      path = path.slice(0, path.lastIndexOf("/"));
    }
    return undefined;
  }

  apiOf(url: string): ClientApi {
    return this.codecOf(url)?.name ?? "other";
  }
}
