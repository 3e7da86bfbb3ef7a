import { auditActor } from './audit-log';
import { auditedChange } from './audited-change';
import type { ControlContext } from './operation-context';
import { permit } from './with-audit';

/**
 * Writes down that a backup is made, before it is: whoever has one has the hashes of every password
 * and key.
 */
export async function noteBackup(ctx: ControlContext, { file }: { file: string }): Promise<void> {
  const what = { act: 'backup.make', subject: file.slice(-80) } as const;
  const who = auditActor(await permit(ctx, 'admin', what));
  await auditedChange(ctx, who, what, async () => ({ answer: undefined }));
}
