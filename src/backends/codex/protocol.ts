import type { JsonObject, JsonValue } from "../../turn/index.ts";

/**
 * The app-server's JSON-RPC: an object a line, without the `jsonrpc` member. Both sides number their requests by themselves, so
 * the same number means two things.
 */
export type Incoming =
  | { kind: "answer"; id: number; result: JsonValue | undefined; error: RpcFailure | undefined }
  | { kind: "request"; id: JsonValue; method: string; params: JsonObject }
  | { kind: "notification"; method: string; params: JsonObject };

export interface RpcFailure {
  code: number;
  message: string;
}

/** The app-server did not do what it was asked to. */
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
