import type { PublicModel } from "../gateway/index.ts";
import type { JsonObject } from "../turn/index.ts";

/**
 * A model in the form that Codex 0.166 expects: Codex rejects the whole list if one entry lacks one of these keys. Unknown facts,
 * such as the size of the context window, are left out.
 */
export function codexModel({ id, backend, kind, isVariant }: PublicModel): JsonObject {
  return {
    slug: id,
    display_name: id,
    description: `${kind} model of the backend ${backend}`,
    supported_in_api: true,
    // Few people want to pick a variant that writes its calls in a dialect.
    visibility: isVariant ? "hide" : "list",
    priority: 1,
    shell_type: "unified_exec",
    apply_patch_tool_type: "freeform",
    // If this list is empty, Codex sends the effort "none" once a person has picked the model.
    supported_reasoning_levels: levels,
    supports_reasoning_summary_parameter: true,
    default_reasoning_summary: "auto",
    support_verbosity: false,
    truncation_policy: { mode: "tokens", limit: 10_000 },
    experimental_supported_tools: [],
    base_instructions: instructions,
  };
}

const levels = [
  { effort: "low", description: "Thinks little" },
  { effort: "medium", description: "Thinks as much as most tasks need" },
  { effort: "high", description: "Thinks long" },
];

/** Instructions for models for which Codex has none. Models other than OpenAI's do not know its patch format. */
const instructions = `You are a coding agent. You work in the user's folder through Codex, a program in their terminal that runs the tools you call.

- Keep going until the task is done: call tools to find out and to change things, and do not guess what a file or a command would say.
- Read before you write. Look for text with \`rg\`, or \`grep\` where that is missing, and read only the part of a file that you need.
- Make the smallest change that does what was asked, in the style of the code around it. Leave alone what is not yours to change.
- After a change run what proves it: the tests, the build, the program itself.
- Never undo changes that you did not make, and never run what destroys data unless the user asked for it.
- When you are done, say in a few sentences what you did, what you checked, and what is left.

Edit files with apply_patch where you have it. A patch looks like this:

*** Begin Patch
*** Update File: src/greet.py
@@ def greet(name):
-    print("hi")
+    print(f"hello {name}")
     return name
*** Add File: notes.txt
+every line of a new file begins with a plus
*** Delete File: old.txt
*** End Patch

Paths are relative to the working folder. In an update, lines begin with a space where they stay, with a minus where they go and with a plus where they come; give two or three lines that stay around a change, so that its place is clear.`;
