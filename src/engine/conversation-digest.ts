import { createHash } from "node:crypto";
import { type Item, isNumberedId, type Part } from "../turn/index.ts";

/**
 * A digest of what comes before a call, to distinguish calls with the same id: the user's last message. Sequential ids are the same
 * in all conversations, so for them the digest covers all user messages and tool outputs.
 */
export class ConversationDigest {
  #lastMessage = "";
  /** Of the user's last message; computed on demand. */
  #lastDigest: string | undefined;
  /** Texts that `#digests` does not cover yet. */
  readonly #pending: { text: string; isOutput: boolean }[] = [];
  #digests: readonly string[] = [""];

  add(item: Item): void {
    if (item.type === "output") {
      this.#pending.push({ text: typeof item.output === "string" ? item.output : textOf(item.output), isOutput: true });
    }
    if (item.type !== "message" || item.role !== "user") return;
    this.#lastMessage = textOf(item.content);
    this.#lastDigest = undefined;
    this.#pending.push({ text: this.#lastMessage, isOutput: false });
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
    this.#lastDigest ??= digestOf(this.#lastMessage);
    return [this.#lastDigest];
  }

  #ofEverything(): readonly string[] {
    for (const { text, isOutput } of this.#pending) {
      const [last = ""] = this.#digests;
      const digest = digestOf(`${last}\n${text}`);
      this.#digests = isOutput ? [digest, ...this.#digests.slice(0, mostCandidates - 1)] : [digest];
    }
    this.#pending.length = 0;
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
