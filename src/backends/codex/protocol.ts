import type { JsonObject, JsonValue } from "../../turn/index.ts";

/**
 * The app-server's JSON-RPC: one object per line, without the `jsonrpc` member. Each side numbers its own requests, so one id may
 * belong to two requests.
 */
export type Incoming =
  | { kind: "answer"; id: number; result: JsonValue | undefined; error: RpcFailure | undefined }
  | { kind: "request"; id: JsonValue; method: string; params: JsonObject }
  | { kind: "notification"; method: string; params: JsonObject };

export interface RpcFailure {
  code: number;
  message: string;
}

/** The app-server answered a request with an error. */
export class RpcError extends Error {
  readonly method: string;
  readonly code: number;

  constructor(method: string, { code, message }: RpcFailure) {
    super(message);
    this.name = "RpcError";
    this.method = method;
    this.code = code;
  }
}
