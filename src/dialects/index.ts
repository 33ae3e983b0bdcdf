/** Calls that models write as text: reading them out of a message, and writing them. Usable without the gateway. */

export { Block, unknownTool } from "./core/block.ts";
export { cutOff, type Ending, type Reader, tooManyDrafts } from "./core/reader.ts";
export type { RejectReport, RepairReport, Sink, SpanKind } from "./core/sink.ts";
export { type JsonEnding, VerbatimJson } from "./core/verbatim-json.ts";
export type { Dialect, Reading, ReasoningTags, TextRepair, WrittenCall } from "./dialect.ts";
export { dialects } from "./known/index.ts";
export {
  createReader,
  type DeclaredTool,
  type FoundCall,
  type ReadingOptions,
  type ReadMessage,
  readMessage,
  type Span,
} from "./read.ts";
