import { expect, it } from 'vitest';
import { LockyardError } from '../../contract/errors';
import { BrokenInvariant } from '../../core/record-invariants';
import { createLog } from '../../platform/log';
import { logFault, logLoss } from './log-fault';

it('a refused decision leaves a line in the log that names the lock and the invariant', () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) });
  const report = logFault(log, 'orders');
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

it('a programming error leaves a line that names the lock and shows the stack of its cause', () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) });
  const cause = new TypeError('undefined is not a function');
  const error = new LockyardError('BACKEND_DOWN', 'The backend is not responding.', { cause });
  logFault(log, 'orders')({ namespace: 'default', name: 'job' }, error);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      backend: 'orders',
      name: 'job',
      err: { cause: { type: 'TypeError', stack: expect.stringContaining('log-fault.test') } },
    },
  ]);
});

it('a data loss leaves a line that names the backend, what was found and the pause', () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) });
  logLoss(log, 'orders')({ at: 1_000_000, what: 'empty', grantsFrom: 1_030_000 });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { backend: 'orders', what: 'The store was empty.', pauseMs: 30_000 },
  ]);
});
