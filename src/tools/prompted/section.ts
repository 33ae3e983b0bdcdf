/** The section with which a prompt ends: its lines behind the first, and the words before it. */
export interface Section {
  before: string;
  lines: string[];
}

/** What is said to a model, one thing after the other. */
export function joinSections(sections: readonly string[]): string {
  return sections.filter((section) => section !== "").join("\n\n");
}

/** The last section that has this head. The client's own words come before ours, so what they imitate is never the last. */
export function peelSection(prompt: string, head: string): Section | undefined {
  const inside = prompt.lastIndexOf(`\n\n${head}\n`);
  if (inside === -1 && !prompt.startsWith(`${head}\n`)) return undefined;
  const start = inside === -1 ? 0 : inside + 2;
  return { before: prompt.slice(0, Math.max(0, inside)), lines: prompt.slice(start + head.length + 1).split("\n") };
}
