/** The last section of a prompt: its lines after the heading, and the text before it. */
export interface Section {
  before: string;
  lines: string[];
}

export function joinSections(sections: readonly string[]): string {
  return sections.filter((section) => section !== "").join("\n\n");
}

/** The last section with this heading. The client's own text comes before ours, so an imitation in it is never the last. */
export function peelSection(prompt: string, head: string): Section | undefined {
  const inside = prompt.lastIndexOf(`\n\n${head}\n`);
  if (inside === -1 && !prompt.startsWith(`${head}\n`)) return undefined;
  const start = inside === -1 ? 0 : inside + 2;
  return { before: prompt.slice(0, Math.max(0, inside)), lines: prompt.slice(start + head.length + 1).split("\n") };
}
