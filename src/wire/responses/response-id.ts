import type { AnswerIdForm } from "../../turn/index.ts";

/** A response id is ours and new each time. */
export const responseIdForm: AnswerIdForm = { prefix: "resp", separator: "_" };
