/** The content types of an answer: as it comes, and in one piece. */
export const eventStream = "text/event-stream; charset=utf-8";
export const json = "application/json; charset=utf-8";
