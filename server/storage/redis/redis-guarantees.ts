import type { Guarantees, StoreSetting } from '../record-store';
import { isFlushed, isTooOld, type RedisFacts, refusalOf, servesNothing } from './redis-facts';

const NOT_ALLOWED = 'not reported: the user may not run CONFIG GET';

/**
 * What a Redis with these settings can promise.
 *
 * @param isDurable whether its run was durable from the start, as the control database knows; null:
 *   not known yet
 */
export function redisGuarantees(facts: RedisFacts, isDurable: boolean | null): Guarantees {
  const refusal = refusalOf(facts);
  const settings = settingsOf(facts);
  if (refusal) {
    const refused = { unsafe: refusal, isNeverAllowed: true, servesNothing: servesNothing(facts) };
    return { level: 'Best-effort', reasons: [refusal], settings, ...refused };
  }
  if (facts.replicas > 0 || facts.isCluster) {
    return { level: 'Best-effort', reasons: [FAIL_OVER, NOTICED], settings, unsafe: null };
  }
  if (!isFlushed(facts)) {
    return { level: 'Timed', reasons: [NOT_FLUSHED, NOTICED, CLOCKS], settings, unsafe: null };
  }
  if (facts.wasCopied || isDurable === false) {
    return { level: 'Timed', reasons: [WAS_NOT_DURABLE, NOTICED, CLOCKS], settings, unsafe: null };
  }
  return { level: 'Strong', reasons: [FLUSHED, NOTICED], settings, unsafe: null };
}

const FLUSHED =
  'Every write is flushed to disk before it is answered, and no replica can take over with less.';
const NOT_FLUSHED =
  'A crash may forget the last writes, because not every write is flushed to disk.';
const WAS_NOT_DURABLE =
  'For some time since its start this Redis did not flush every write, or a replica copied it. ' +
  'So its next restart counts as a data loss; the run after that is Strong.';
const FAIL_OVER =
  'A replica that takes over may lack the last writes, and for a while two servers may both act ' +
  'as the primary.';
const NOTICED =
  'A data loss is detected by run id, replication id and heartbeat before anything else is ' +
  'granted: tokens continue in a higher epoch, and nothing is granted for as long as the ' +
  'longest lease ever granted. Earlier holds, queues and remembered answers are gone.';
const CLOCKS =
  'So no two callers hold one lock after a loss, provided that all clocks run at the same speed.';

function settingsOf(facts: RedisFacts): StoreSetting[] {
  const { version, role, replicas, isCluster, appendOnly, appendFsync } = facts;
  const { maxMemory, evictionPolicy } = facts;
  const evicts = evictionPolicy !== 'noeviction';
  const whenFull = maxMemory > 0 ? 'its memory is full' : 'it is given a limit';
  return [
    setting('redis_version', version, isTooOld(facts) && 'Too old.'),
    setting('role', role, role !== 'master' && 'A replica stores nothing itself.'),
    setting('appendonly', appendOnly ? 'yes' : 'no', !appendOnly && 'Writes are not kept on disk.'),
    setting(
      'appendfsync',
      appendFsync ?? NOT_ALLOWED,
      appendOnly && appendFsync !== 'always' && 'Not every write is known to be flushed.',
    ),
    setting(
      'no-appendfsync-on-rewrite',
      facts.appendFsync === null ? NOT_ALLOWED : facts.skipsFlushes ? 'yes' : 'no',
      appendOnly && facts.skipsFlushes && 'While it rewrites its files nothing is flushed.',
    ),
    setting('maxmemory', String(maxMemory), false),
    setting('maxmemory-policy', evictionPolicy, evicts && `Keys are evicted once ${whenFull}.`),
    setting('connected_slaves', String(replicas), replicas > 0 && 'One may take over with less.'),
    setting('cluster_enabled', isCluster ? '1' : '0', isCluster && 'A replica may take over.'),
  ];
}

function setting(name: string, value: string, complaint: string | false): StoreSetting {
  return { name, value, complaint: complaint === false ? null : complaint };
}
