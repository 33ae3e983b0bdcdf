export type {
  AnswerOptions,
  ClientRequest,
  Codec,
  CodecRoute,
  ContinuedState,
  RequestLimits,
  Resource,
  ResourceCall,
  UnmatchedResult,
} from "./codec.ts";
export { eventStream, json } from "./content-types.ts";
export { errorEnvelope } from "./envelope.ts";
export { checkStoredMetadata } from "./metadata.ts";
export { codecs } from "./registry.ts";
export { type Frame, FrameRecorder, SseSink, WholeSink } from "./sinks.ts";
