import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readLines } from './read-lines';

test('a line ends at a line feed only, wherever the input is cut', async () => {
  const messages = ['"a\u2028b\u2029c"', '"€"', '', '"the last one"'];
  for (let cut = 1; cut < 20; cut++) {
    const bytes = Buffer.from(messages.join('\n'));
    const input = new PassThrough();
    const lines: string[] = [];
    const end = readLines(input, (line) => lines.push(line));
    input.write(bytes.subarray(0, cut));
    await new Promise(setImmediate);
    input.end(bytes.subarray(cut));
    await end;
    expect(lines).toEqual(messages);
  }
});

test('an input that fails or is destroyed has ended', async () => {
  for (const failure of [new Error('EIO'), undefined]) {
    const input = new PassThrough();
    const end = readLines(input, () => {});
    input.destroy(failure);
    await end;
  }
});
