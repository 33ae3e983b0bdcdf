/** Rows as text: the first columns to the left, numbers to the right; the last is as long as it is. */
export function aligned(rows, left = 1) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) =>
    row.map((cell, column) => {
      if (column === row.length - 1) return cell;
      return column < left ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
    });
  return rows.map((row) => line(row).join("  ").trimEnd()).join("\n");
}
