/** Aligns the columns of a table. Every row is a line, indented by two spaces. */
export function align(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(visible));
  const width = (column: number) => shown.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0);
  const widths = (shown[0] ?? []).map((_, column) => width(column));
  return shown
    .map(
      (row) =>
        `  ${row
          .map((cell, column) => cell.padEnd(widths[column] ?? width(column)))
          .join("   ")
          .trimEnd()}\n`,
    )
    .join("");
}

export function heading(text: string): string {
  const plain = !process.stdout.isTTY || process.env.NO_COLOR || process.env.TERM === "dumb";
  return plain ? text : `\x1b[1m${text}\x1b[22m`;
}

/** A client chooses the names of its models; none of them may control the terminal. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
