import { type Hold, isReleased } from '../../core/lock/lock-record';
import { deathWitnesses } from '../../core/status/holder-liveness';
import { Periodic, type ShouldContinue } from '../../platform/periodic';
import { forceReleaseLock } from '../locks/for-people/force-release-lock';
import type { OperationContext, Runtime } from '../operation-context';

/** An orphaned hold that may be released automatically. */
interface Orphan {
  namespace: string;
  name: string;
  token: number;
  rev: number;
  reason: string;
}

const RELEASE_EVERY_MS = 2_000;

/**
 * Releases orphaned locks every 2 s, in only one process. Returns a function that stops it after
 * the release under way.
 */
export function startReleasingOrphans(runtime: Runtime, isRunner: () => boolean) {
  let isEnding = false;
  const job = new Periodic({
    job: 'release orphaned locks',
    everyMs: RELEASE_EVERY_MS,
    run: async () => {
      if (isRunner()) await releaseOrphans(runtime, () => !isEnding && isRunner());
    },
    log: runtime.log,
  }).start();
  return () => {
    isEnding = true;
    return job.stop();
  };
}

/**
 * Releases the holds whose process two witnesses of different kinds have proven dead, if the policy
 * of their namespace allows that, and not before their `holdAtLeastMs` has passed. Each release is
 * an audited act of Lockyard on the token that was examined: another hold, or one that was renewed
 * meanwhile, stays. A release that fails does not prevent the others.
 *
 * @throws AggregateError of the releases that failed
 */
async function releaseOrphans(runtime: Runtime, shouldContinue: ShouldContinue): Promise<void> {
  const ctx: OperationContext = {
    runtime,
    actor: { kind: 'system' },
    address: 'local',
    requestId: 'orphans',
  };
  const failures: unknown[] = [];
  for (const orphan of [...findOrphans(runtime)]) {
    if (!shouldContinue()) break;
    try {
      if (await isStillDead(runtime, orphan)) await forceReleaseLock(ctx, orphan);
    } catch (error) {
      failures.push(error);
    }
  }
  // The job fails nevertheless, and tries again in the next round.
  if (failures.length > 0) throw new AggregateError(failures, 'some orphans were not released');
}

function* findOrphans({ evidence, projection, namespaces, clock }: Runtime): Generator<Orphan> {
  for (const id of evidence.rowsProvenTwice()) {
    const row = projection.table.byId(id);
    if (!row || !namespaces.policyOf(row.key.namespace).releaseOrphans) continue;
    const now = clock.now() + projection.clockOffsetMs(row.publicBackend, row.key);
    for (const hold of row.record.holds) {
      if (hold.expiresAt <= now || isKept(hold, now)) continue;
      const witnesses = deathWitnesses(hold, evidence.reportsOn(id, hold), now);
      if (witnesses.length < 2) continue;
      const proofs = witnesses.map(({ witness, evidence: seen }) => `${witness}: ${seen}`).sort();
      const reason = `Its process is dead. ${proofs.join('; ')}`.slice(0, 500);
      yield { ...row.key, token: hold.token, rev: row.rev, reason };
    }
  }
}

/** Whether the lock must stay taken for longer, even if its holder is dead. */
function isKept(hold: Hold, now: number): boolean {
  return isReleased(hold) || (hold.keptUntil ?? 0) > now;
}

/** Reads the lock again: since then it may have been renewed, or granted to another. */
async function isStillDead({ projection }: Runtime, orphan: Orphan): Promise<boolean> {
  const { holds, fresh } = await projection.detail(orphan.namespace, orphan.name);
  const hold = holds.find(({ token }) => token === orphan.token);
  return fresh && hold?.liveness?.state === 'dead';
}
