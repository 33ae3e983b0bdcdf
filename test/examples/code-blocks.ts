/** The code blocks of a Markdown page that are marked with the language, in order. */
export function codeBlocks(page: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...page.matchAll(fence)].map(([, text = ""]) => text);
}
