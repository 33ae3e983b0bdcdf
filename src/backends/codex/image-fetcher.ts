import { isIP } from "node:net";
import { Agent, type Dispatcher, request } from "undici";
import { imageType, imageTypes } from "./image-type.ts";
import { isPublic, lookupAllowed, notPublic } from "./public-addresses.ts";

const patience = 10_000;
const largest = 20 * 1024 * 1024;
const mostRedirects = 3;

/** Fetches images, and only images, from public addresses. */
export class ImageFetcher {
  readonly #isAllowed: (address: string) => boolean;
  readonly #agent: Agent;

  constructor(isAllowed: (address: string) => boolean = isPublic) {
    this.#isAllowed = isAllowed;
    this.#agent = new Agent({ connect: { timeout: patience, lookup: lookupAllowed(isAllowed) } });
  }

  /** Returns a data: URL. Rejects with a message that reveals nothing about the address. */
  async fetch(address: string, signal: AbortSignal): Promise<string> {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    let url = new URL(address);
    for (let left = mostRedirects; ; left--) {
      const answer = await this.#get(url, stop);
      const { location } = answer.headers;
      if (answer.statusCode < 300 || answer.statusCode >= 400 || typeof location !== "string") {
        return await read(answer);
      }
      await answer.body.dump();
      if (left === 0) throw new Error("there are too many redirects");
      url = new URL(location, url);
    }
  }

  #get(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    if (url.protocol !== "https:" && url.protocol !== "http:") throw new Error("the address is not one of the web");
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    // An IP address is not looked up, so it is checked here.
    if (isIP(host) !== 0 && !this.#isAllowed(host)) throw new Error(notPublic);
    const timeouts = { headersTimeout: patience, bodyTimeout: patience };
    const asked = request(url, { dispatcher: this.#agent, signal, headers: { accept: "image/*" }, ...timeouts });
    return asked.catch((error: unknown) => {
      const isOurs = error instanceof Error && error.message === notPublic;
      throw isOurs ? error : new Error("its address cannot be reached", { cause: error });
    });
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

async function read({ statusCode, body }: Dispatcher.ResponseData): Promise<string> {
  if (statusCode !== 200) {
    await body.dump();
    throw new Error(`the answer was ${statusCode}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > largest) throw new Error("it is larger than 20mb");
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const type = imageType(bytes);
  if (!type) throw new Error(`it is no ${imageTypes} image`);
  return `data:image/${type};base64,${bytes.toString("base64")}`;
}
