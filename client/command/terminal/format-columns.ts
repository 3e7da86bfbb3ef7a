/** Lines of cells, each column as wide as its widest cell. */
export function formatColumns(lines: string[][]): string {
  const widths: number[] = [];
  for (const cells of lines) {
    for (const [i, cell] of cells.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  }
  const line = (cells: string[]) => cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return lines.map((cells) => line(cells).trimEnd()).join('\n');
}
