import { type Cancellation, type Item, type Part, type Turn, TurnError } from "../../turn/index.ts";
import { isRemote } from "./content.ts";
import type { ImageFetcher } from "./image-fetcher.ts";

const mostImages = 16;

/** The turn with image data instead of image URLs. */
export async function withImages(turn: Turn, fetcher: ImageFetcher, cancellation: Cancellation): Promise<Turn> {
  const urls = [...new Set(turn.input.flatMap(partsOf).flatMap((part) => (isRemote(part) ? [part.url] : [])))];
  if (urls.length === 0) return turn;
  const { inputParam: param = "input" } = turn;
  if (urls.length > mostImages) {
    const message = `The request names ${urls.length} images by their addresses; no more than ${mostImages} are fetched.`;
    throw new TurnError("invalid_request", message, { param });
  }
  if (cancellation.reason) throw cancellation.reason;
  const leaving = new AbortController();
  const onCancel = () => leaving.abort();
  cancellation.onCancel(onCancel);
  const get = (url: string) =>
    fetcher.fetch(url, leaving.signal).catch((error: unknown) => {
      leaving.abort();
      if (cancellation.reason) throw cancellation.reason;
      const why = error instanceof Error ? error.message : String(error);
      throw new TurnError("invalid_request", `An image could not be fetched: ${why}.`, { param, cause: error });
    });
  try {
    const fetched = new Map(await Promise.all(urls.map(async (url) => [url, await get(url)] as const)));
    return { ...turn, input: turn.input.map((item) => withParts(item, fetched)) };
  } finally {
    cancellation.offCancel(onCancel);
  }
}

function partsOf(item: Item): readonly Part[] {
  if (item.type === "message") return item.content;
  return item.type === "output" && typeof item.output !== "string" ? item.output : [];
}

function withParts(item: Item, fetched: ReadonlyMap<string, string>): Item {
  const swap = (part: Part): Part => (isRemote(part) ? { ...part, url: fetched.get(part.url) ?? part.url } : part);
  if (item.type === "message") return { ...item, content: item.content.map(swap) };
  return item.type === "output" && typeof item.output !== "string" ? { ...item, output: item.output.map(swap) } : item;
}
