import { chatCodec } from "./chat/index.ts";
import type { Codec } from "./codec.ts";
import { responsesCodec } from "./responses/index.ts";

/** The APIs that clients can use. */
export const codecs: readonly Codec[] = [chatCodec, responsesCodec];
