import type { Encoder } from "../../turn/index.ts";
import { type ChatAnswer, ChatStreamEncoder } from "./encode-stream.ts";
import { ChatWholeEncoder } from "./encode-whole.ts";

export { type ChatRequest, decodeChatRequest } from "./decode.ts";

export function createChatEncoder(answer: ChatAnswer, stream: boolean): Encoder {
  return stream ? new ChatStreamEncoder(answer) : new ChatWholeEncoder(answer);
}
