/** In quotation marks, and clipped. */
export function quoted(text: string): string {
  return JSON.stringify(clipped(text, 100));
}

export function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** `1 item`, `2 items`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
