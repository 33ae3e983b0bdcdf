import type { Backend, Round, Tool, Turn } from "../../turn/index.ts";
import { isResponsesTool } from "../../wire/responses/tools.ts";
import { Upstream, type UpstreamOptions } from "../upstream.ts";
import { ResponsesReader } from "./reader.ts";
import { responsesRequest } from "./request.ts";

/** A provider that speaks the Responses API. */
export class ResponsesBackend implements Backend {
  readonly name: string;
  readonly #options: UpstreamOptions;
  readonly #upstream: Upstream;

  constructor(options: UpstreamOptions) {
    this.name = options.name;
    this.#options = options;
    this.#upstream = new Upstream(options);
  }

  carries(tool: Tool, _turn: Turn): boolean {
    return isResponsesTool(tool);
  }

  run(turn: Turn, round: Round): Promise<void> {
    const reader = new ResponsesReader(this.name, this.#options.redact, round.emit);
    return this.#upstream.post("/responses", responsesRequest(turn), round, reader);
  }

  models(): Promise<string[]> {
    return this.#upstream.models();
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }
}
