import { expect, it } from 'vitest';
import { creation, update } from '../conformance/testing/changes';
import type { Change } from '../record-store';
import { swapArguments } from './redis-codec';

const plain = creation(
  { namespace: 'n', name: 'a' },
  { rev: 1, writer: 'w1', head: 'h', queue: 'q' },
);
const seen = { rev: 7, writer: 'w7' };
const inOtherScripts = update({ namespace: 'n', name: 'Zoë/🔒' }, seen, {
  writer: 'w8',
  head: '"ü"',
  queue: null,
});

it.each([
  ['that are ASCII', [plain, { ...plain, queue: '' }]],
  ['some of which are not', [plain, inOtherScripts, plain]],
])('the lengths of texts %s are their bytes', (_, changes: Change[]) => {
  const [, , , numbers, texts] = swapArguments(changes, 'each', () => false);
  const all: number[] = JSON.parse(String(numbers));
  let left = Buffer.from(String(texts));
  const cut = (length: number) => {
    const text = left.subarray(0, Math.max(length, 0)).toString();
    left = left.subarray(Math.max(length, 0));
    return text;
  };
  const parts = changes.map((_, i) => all.slice(9 * i + 5, 9 * i + 9).map(cut));
  expect(parts).toEqual(
    changes.map(({ key, expect: seen, queue, rev, writer, head }) => [
      `{lockyard}:r:${key.namespace}/${key.name}`,
      seen ? `${seen.rev} ${seen.writer} ` : '',
      queue ?? '',
      `${queue ? 'q' : '-'}${rev} ${writer} ${head}`,
    ]),
  );
  expect(changes.map((_, i) => all[9 * i + 7] === -1)).toEqual(
    changes.map(({ queue }) => queue === null),
  );
  expect(left).toHaveLength(0);
});
