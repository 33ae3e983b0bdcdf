import type { Backend, Round, Tool, Turn } from "../../turn/index.ts";
import { Upstream, type UpstreamOptions } from "../upstream.ts";
import { ChatReader } from "./reader.ts";
import { chatRequest } from "./request.ts";

/** A provider that speaks Chat Completions. */
export class ChatBackend implements Backend {
  readonly name: string;
  readonly #options: UpstreamOptions;
  readonly #upstream: Upstream;

  constructor(options: UpstreamOptions) {
    this.name = options.name;
    this.#options = options;
    this.#upstream = new Upstream(options);
  }

  /** Few providers have custom tools; a chat client that sends one knows that its provider has them. */
  carries(tool: Tool, turn: Turn): boolean {
    return tool.type === "function" || (tool.type === "custom" && turn.api === "chat");
  }

  run(turn: Turn, round: Round): Promise<void> {
    const reader = new ChatReader(this.name, this.#options.redact, round.emit);
    return this.#upstream.post("/chat/completions", chatRequest(turn), round, reader);
  }

  models(): Promise<string[]> {
    return this.#upstream.models();
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }
}
