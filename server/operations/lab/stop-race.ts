import type { LabStopAnswer } from '../../contract/console/lab/lab-run';
import { askDatabase } from '../ask-database';
import { auditedDatabaseChange } from '../audit/audited-database-change';
import { permit } from '../audit/permit';
import type { LabContext } from './lab-races';

/**
 * Asks a race to end now, with its results so far, whichever process runs it.
 *
 * @throws LockyardError `NOT_FOUND`
 */
export async function stopRace(ctx: LabContext, { id }: { id: string }): Promise<LabStopAnswer> {
  const { lab } = ctx.runtime;
  const what = { act: 'lab.stop', subject: id } as const;
  const who = await permit(ctx, 'operator', what);
  await askDatabase(() => lab.table.get(id));
  const answer = await auditedDatabaseChange<LabStopAnswer>(ctx, who, what, async (tx) => {
    const isRunning = await lab.table.askToStop(tx, id, who.name);
    const outcome = isRunning ? 'stopping' : 'ended';
    return { answer: { outcome }, result: { outcome }, isUnchanged: !isRunning };
  });
  lab.stop(id);
  return answer;
}
