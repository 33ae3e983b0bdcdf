import type { OutputItem, Part } from "../../turn/index.ts";

/** Splits a tool's output into the text of its record and the parts that follow the record because they are not text. */
export function splitOutput(output: OutputItem["output"]): { text: string; attachments: Part[] } {
  if (typeof output === "string") return { text: output, attachments: [] };
  const attachments = output.filter((part) => part.type !== "text" && part.type !== "refusal");
  const texts = output.flatMap((part) =>
    part.type === "text" ? part.text : part.type === "refusal" ? part.refusal : [],
  );
  return { text: texts.join("\n") || mention(attachments), attachments };
}

/** Reverses `splitOutput`. */
export function joinOutput(text: string, attachments: readonly Part[]): OutputItem["output"] {
  if (attachments.length === 0) return text;
  return text === mention(attachments) ? [...attachments] : [{ type: "text", text }, ...attachments];
}

/** Without it the model would take the output for empty. */
function mention(attachments: readonly Part[]): string {
  if (attachments.length === 0) return "";
  const images = attachments.filter((part) => part.type === "image").length;
  const counted = [count(images, "image"), count(attachments.length - images, "file")];
  return `(${counted.filter((words) => words !== "").join(" and ")} attached)`;
}

function count(many: number, what: string): string {
  if (many === 0) return "";
  return many === 1 ? `1 ${what}` : `${many} ${what}s`;
}
