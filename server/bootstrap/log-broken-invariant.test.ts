import { expect, it } from 'vitest';
import { BrokenInvariant } from '../core/record-invariants';
import { createLog } from '../platform/log';
import { logBrokenInvariant } from './log-broken-invariant';

it('a refused decision leaves a line in the log that names the lock and the invariant', () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) });
  const report = logBrokenInvariant(log, 'orders');
  report({ namespace: 'default', name: 'job' }, new BrokenInvariant('tokens rise'));
  report({ namespace: 'default', name: 'n', kind: 'counter' }, new BrokenInvariant('rev'));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      backend: 'orders',
      namespace: 'default',
      name: 'job',
      kind: 'lock',
      invariant: 'tokens rise',
    },
    { name: 'n', kind: 'counter', invariant: 'rev' },
  ]);
});
