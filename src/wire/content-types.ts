/** The content types of a streamed and of a whole answer. */
export const eventStream = "text/event-stream; charset=utf-8";
export const json = "application/json; charset=utf-8";
