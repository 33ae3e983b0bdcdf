import { type Question, type Span, textOf } from "./question.ts";

const instruction =
  /(?:\b(?:use|call|using|with|via)\s+(?:the\s+)?[`"']?[\w.-]*_[\w.-]*[`"']?(?:\s+(?:tool|function))?|\b(?:use|call|using)\s+(?:the\s+)?[`"']?[\w.-]+[`"']?\s+(?:tool|function))(?:\s+(?:to|for|and)\b)?[.!]?/giu;

const courtesy =
  /^(?:please|hey|hi|hello|okay|ok|so|and|then|also|now|can you|could you|would you|will you|help me|let['’]?s|i(?:['’]d| would) like (?:you )?to|i (?:want|need) (?:you )?to)[\s,]+/iu;

const asking =
  /^(?:tell me|show me|give me|find me|get me|find out|find|look up|lookup|look for|search(?: (?:the )?(?:web|internet|online))?|google|what(?:['’]s| is| are| was| were)|who(?:['’]s| is| was))\s+(?:(?:for|about|on)\s+)?(?:(?:the|an?)\s+)?/iu;

/** What the question is about: without the courtesies and without the orders to use a tool. */
export function phraseOf(question: Question, span: Span): string {
  const whole = textOf(question, span).trim();
  let text = whole.replace(instruction, " ").trim();
  for (let cut = text.replace(courtesy, ""); cut !== text; cut = text.replace(courtesy, "")) text = cut;
  text = text
    .replace(asking, "")
    .replace(/[\s,]+please\s*[.!?]*$/iu, "")
    .replace(/[\s.,;:!?。？！]+$/u, "")
    .replace(/\s+/gu, " ")
    .trim();
  return text === "" ? whole : text;
}

/** The command after "run" or "execute". */
export function commandIn(question: Question, span: Span): string | undefined {
  const found = /\b(?:run|execute)\s+(?:the\s+command\s+)?(.+)$/isu.exec(textOf(question, span));
  const command = found?.[1]?.split(/[.?!](?:\s|$)|\n/u)[0]?.trim();
  return command === "" ? undefined : command;
}

const signs = new Map([
  ["+", "+"],
  ["-", "-"],
  ["−", "-"],
  ["*", "*"],
  ["×", "*"],
  ["x", "*"],
  ["/", "/"],
  ["÷", "/"],
  ["^", "^"],
  ["%", "%"],
  ["(", "("],
  [")", ")"],
  ["plus", "+"],
  ["minus", "-"],
  ["times", "*"],
  ["multiplied", "*"],
  ["divided", "/"],
  ["over", "/"],
]);

const verbs: [RegExp, string][] = [
  [/\b(?:add|sum|total)/iu, " + "],
  [/\b(?:multipl|product)/iu, " * "],
  [/\b(?:subtract|difference)/iu, " - "],
  [/\b(?:divid|quotient)/iu, " / "],
];

/** Arithmetic in the question, as signs and numbers: "12 times 7" is `12 * 7`. */
export function expressionIn(question: Question, span: Span): string | undefined {
  const tokens = question.tokens.slice(span.start, span.end);
  let parts: string[] = [];
  for (const token of [...tokens, undefined]) {
    const sign = token && signs.get(token.text.toLowerCase());
    if (token?.value !== undefined) parts.push(String(token.value));
    else if (sign !== undefined) parts.push(sign);
    else if (token?.text.toLowerCase() === "by" && parts.length > 0) continue;
    else {
      const digits = parts.filter((part) => /\d/u.test(part)).length;
      if (digits > 1 && parts.length > digits) return parts.join(" ").replace(/\( | \)/gu, (gap) => gap.trim());
      parts = [];
    }
  }
  const numbers = tokens.flatMap((token) => (token.value === undefined ? [] : [token.value]));
  const verb = verbs.find(([pattern]) => pattern.test(textOf(question, span)));
  return verb && numbers.length > 1 ? numbers.join(verb[1]) : undefined;
}
