import { createHash } from "node:crypto";
import { giveLoopBack, type Item, isLoopHeld, isNumberedId, type Part } from "../turn/index.ts";

/** A user's message or an output that the digests do not cover yet. */
interface Pending {
  content: string | readonly Part[];
  isOutput: boolean;
}

/**
 * A digest of what comes before a call, to distinguish calls with the same id: the user's last message. Sequential ids are the same
 * in all conversations, so for them the digest covers all user messages and tool outputs.
 */
export class ConversationDigest {
  #lastMessage: string | readonly Part[] = "";
  /** Of the user's last message; computed on demand. */
  #lastDigest: string | undefined;
  #pending: Pending[] = [];
  #digests: readonly string[] = [""];
  #preparing: Promise<void> | undefined;

  add(item: Item): void {
    if (item.type === "output") this.#pending.push({ content: item.output, isOutput: true });
    if (item.type !== "message" || item.role !== "user") return;
    this.#lastMessage = item.content;
    this.#lastDigest = undefined;
    this.#pending.push({ content: item.content, isOutput: false });
  }

  /** Computes what the digests of this call need, in stretches. `undefined` if that does not take long. */
  prepare(callId: string): Promise<void> | undefined {
    if (!isNumberedId(callId) || (this.#pending.length <= fewPending && !this.#preparing)) return undefined;
    this.#preparing ??= this.#coverAll().finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing;
  }

  of(callId: string): string {
    return this.candidates(callId)[0] ?? "";
  }

  /**
   * Newest first. Outputs before a call may belong to calls that were made together with it, so digests without them are candidates
   * too.
   */
  candidates(callId: string): readonly string[] {
    if (isNumberedId(callId)) return this.#ofEverything();
    this.#lastDigest ??= digestOf("", textOf(this.#lastMessage));
    return [this.#lastDigest];
  }

  #ofEverything(): readonly string[] {
    for (const each of this.#pending) this.#cover(each);
    this.#pending = [];
    return this.#digests;
  }

  async #coverAll(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    for (const each of pending) {
      this.#cover(each);
      if (isLoopHeld()) await giveLoopBack();
    }
  }

  #cover({ content, isOutput }: Pending): void {
    const [last = ""] = this.#digests;
    const digest = digestOf(`${last}\n`, textOf(content));
    this.#digests = isOutput ? [digest, ...this.#digests.slice(0, mostCandidates - 1)] : [digest];
  }
}

const mostCandidates = 16;
const fewPending = 64;
/** In characters. Of a longer text, the digest covers the length, the beginning and the end. */
const longestText = 64 * 1024;

function digestOf(before: string, text: string): string {
  return createHash("sha256").update(before).update(abridged(text)).digest("base64");
}

/** Of a long text, its length, beginning and end tell it apart: to hash all of it would take long. */
export function abridged(text: string): string {
  if (text.length <= longestText) return text;
  const part = longestText / 2;
  return `${text.length}\n${text.slice(0, part)}${text.slice(-part)}`;
}

function textOf(content: string | readonly Part[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
}
