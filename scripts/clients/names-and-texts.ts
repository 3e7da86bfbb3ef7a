/** A description as lines of at most `width` characters, without Markdown's backquotes. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replaceAll('`', '').split(/\s+/)) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return line ? [...lines, line] : lines;
}

/** `holdAtLeastMs` as `hold_at_least_ms`. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '');

export const pascalCase = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The name of a procedure's method in a client: `lock.acquireMany` is `acquireMany`. */
export function methodName(procedure: string): string {
  const [noun = '', verb = ''] = procedure.split('.');
  if (noun === 'lock') return verb;
  return (
    { 'counter.create': 'createCounter', 'counter.add': 'addToCounter' }[procedure] ??
    `${verb}${pascalCase(noun)}`
  );
}
