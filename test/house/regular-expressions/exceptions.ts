/** An expression that may take more than linear time, and why that is no harm. */
export interface Exception {
  path: string;
  written: string;
  reason: string;
}

const demo = "The demo reads at most the first 1,000 characters of a question (`longest`): a millisecond at most.";
const question = (written: string): Exception => ({ path: "backends/demo/question.ts", written, reason: demo });

/** Only text of a small, bounded length meets these. */
export const bounded: Exception[] = [
  question(
    "/(?<quote>\"[^\"\\n]+\"|“[^”\\n]+”|«[^»\\n]+»|「[^」\\n]+」|`[^`\\n]+`|(?<![\\p{L}\\p{N}])'[^'\\n]+'(?![\\p{L}\\p{N}]))/u",
  ),
  question("/(?<url>https?:\\/\\/[^\\s\"'<>]*[^\\s\"'<>.,;:!?)])/u"),
  question("/(?<email>[\\p{L}\\p{N}._+-]+@[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+)/u"),
  question(
    "/(?<number>(?<![\\p{L}\\p{N})])-?\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?(?!\\d)|(?<![\\p{L}\\p{N})])-?\\d+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)/u",
  ),
  question(
    "/(?<path>(?:[\\p{L}_~.][\\p{L}\\p{N}_.-]*)?\\/[\\p{L}_.][\\p{L}\\p{N}_./-]*[\\p{L}\\p{N}_/]|[\\p{L}_][\\p{L}\\p{N}_-]*\\.[a-z]{2,4}(?![\\p{L}\\p{N}]))/u",
  ),
];

/** An expression that is made of a text: how the call begins, and an expression as it makes it. */
export interface Construction {
  path: string;
  begins: string;
  /** Judged like a literal; null where an exception above says why it need not be. */
  example: string | null;
  reason: string;
}

export const constructions: Construction[] = [
  {
    path: "backends/demo/question.ts",
    begins: "new RegExp( [ /(?<quote>",
    example: null,
    reason: `Made of the literals above. ${demo}`,
  },
  {
    path: "config/kinds/http.ts",
    begins: "new RegExp(`^(?!(?:",
    example: "^(?!(?:connection|host|te)$)[!#$%&'*+.^_`|~0-9a-z-]+$",
    reason: "Made of names in the same file.",
  },
  {
    path: "dialects/reading/json-call.ts",
    begins: 'new RegExp(`^\\\\s*\\\\{\\\\s*"',
    example: '^\\s*\\{\\s*"input"\\s*:',
    reason: "The parameter is that of a tool that takes free text, whose name Toolwire chooses.",
  },
  {
    path: "tools/functions/free-text.ts",
    begins: 'new RegExp(`^\\\\s*\\\\{\\\\s*"',
    example: '^\\s*\\{\\s*"input"\\s*:\\s*"',
    reason: "Made of a constant.",
  },
  {
    path: "tools/functions/free-text.ts",
    begins: "new RegExp(`^\\\\s*\\\\{\\\\s*['\"]?",
    example: "^\\s*\\{\\s*['\"]?input['\"]?\\s*:",
    reason: "Made of a constant.",
  },
  {
    path: "tools/functions/free-text.ts",
    begins: 'new RegExp(`^"\\\\s*\\\\}\\\\s*\\\\{\\\\s*"',
    example: '^"\\s*\\}\\s*\\{\\s*"input"\\s*:',
    reason: "Made of a constant.",
  },
  {
    path: "tools/functions/free-text.ts",
    begins: "new RegExp(`^\\\\s*\\\\{\\\\s*(['\"]?)",
    example: "^\\s*\\{\\s*(['\"]?)input\\1\\s*:\\s*'([\\s\\S]*)'\\s*(?:,\\s*)?\\}\\s*$",
    reason: "Made of a constant.",
  },
];
