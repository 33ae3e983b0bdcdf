export type { AnswerOptions, ClientRequest, Codec, CodecRoute, ContinuedState, RequestLimits } from "./codec.ts";
export { eventStream, json } from "./content-types.ts";
export { errorEnvelope } from "./envelope.ts";
export { codecs } from "./registry.ts";
export { type Frame, FrameRecorder, SseSink, WholeSink } from "./sinks.ts";
