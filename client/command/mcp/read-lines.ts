import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

/**
 * Calls `take` with each line, and resolves once the input has ended, failed or been destroyed.
 * Only a line feed ends a line: Node's `readline`, in later versions, would also end one at U+2028
 * and U+2029, which JSON may contain.
 */
export async function readLines(input: Readable, take: (line: string) => void): Promise<void> {
  let rest = '';
  input.setEncoding('utf8');
  input.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
  input.on('end', () => take(rest));
  await finished(input, { writable: false }).catch(() => {});
}
