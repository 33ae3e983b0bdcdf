export { decodeResponsesRequest, type ResponsesRequest } from "./decode.ts";
export { type Profile, type ResponsesAnswer, ResponsesEncoder } from "./encode.ts";
