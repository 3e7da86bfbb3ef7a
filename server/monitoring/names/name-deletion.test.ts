import { expect, test } from 'vitest';
import { unwrittenRecord } from '../../core/lock/lock-record';
import { TimeSlice } from '../lock-list/order/time-slice';
import type { LockProjection } from '../projection/lock-projection';
import type { MonitoredBackend } from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';
import { NameDeletion } from './name-deletion';

const LOCKS = 10_000;

test('calls are served while the locks of a deletion are checked, however many', async () => {
  let sincePause = 0;
  let mostAtOnce = 0;
  let readings = 0;
  const pauses = async () => {
    sincePause = 0;
  };
  // The clock advances by 1 ms with each read.
  const slice = () => new TimeSlice(() => ++readings, undefined, pauses);
  const rows = Array.from({ length: LOCKS }, (_, i) => ({
    backend: 'default',
    key: { namespace: 'jobs', name: `a${i}` },
    record: unwrittenRecord(1),
    isReadable: true,
  })) as ProjectionRow[];
  const projection = { table: { slice, all: () => rows } } as unknown as LockProjection;
  const backend = {
    id: 'default',
    engine: { health: () => ({ reachable: true, clockOffsetMs: 0 }) },
    epochOf() {
      sincePause += 1;
      mostAtOnce = Math.max(mostAtOnce, sincePause);
      return 1;
    },
  } as unknown as MonitoredBackend;
  const deletion = new NameDeletion([backend], projection, { now: () => 2 });
  const chosen = { namespace: 'jobs', kind: 'lock', prefix: 'a' } as const;
  expect((await deletion.preview('default', chosen)).matching).toBe(LOCKS);
  expect(mostAtOnce).toBeLessThan(LOCKS / 10);
});
