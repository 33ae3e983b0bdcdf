import { createHash } from "node:crypto";
import { type Item, isNumberedId, type Part } from "../turn/index.ts";

/**
 * What comes before a call, as far as it tells the call from others of the same id: the user's last words. Ids that are counted are
 * the same in all conversations, so that for them everything counts that was said to the model.
 */
export class ConversationDigest {
  #lastWords = "";
  /** Of the user's last words, once somebody asks. */
  #lastDigest: string | undefined;
  /** What was said since the digests of everything were made. */
  readonly #unread: { text: string; isOutput: boolean }[] = [];
  #digests: readonly string[] = [""];

  add(item: Item): void {
    if (item.type === "output") {
      this.#unread.push({ text: typeof item.output === "string" ? item.output : textOf(item.output), isOutput: true });
    }
    if (item.type !== "message" || item.role !== "user") return;
    this.#lastWords = textOf(item.content);
    this.#lastDigest = undefined;
    this.#unread.push({ text: this.#lastWords, isOutput: false });
  }

  of(callId: string): string {
    return this.candidates(callId)[0] ?? "";
  }

  /** The newest first. Outputs that stand before a call may be those of calls that were made with it. */
  candidates(callId: string): readonly string[] {
    if (isNumberedId(callId)) return this.#ofEverything();
    this.#lastDigest ??= digestOf(this.#lastWords);
    return [this.#lastDigest];
  }

  #ofEverything(): readonly string[] {
    for (const { text, isOutput } of this.#unread) {
      const [last = ""] = this.#digests;
      const digest = digestOf(`${last}\n${text}`);
      this.#digests = isOutput ? [digest, ...this.#digests.slice(0, mostCandidates - 1)] : [digest];
    }
    this.#unread.length = 0;
    return this.#digests;
  }
}

const mostCandidates = 16;

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
}
