/** A table of GitHub's Markdown: the first column is text, the others are figures. */
export function markdownTable(heads: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const rule = heads.map((_, i) => (i === 0 ? '---' : '---:'));
  return [line(heads), line(rule), ...rows.map(line)];
}

/** Three significant digits, thousands with commas; `–` for a value that was not measured. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3);
}
