import type { ControlContext } from '../operation-context';
import { auditedChange } from './audited-change';
import { permit } from './permit';

/**
 * Records in the audit log that a backup is about to be made: a backup has the hashes of every
 * password and key.
 */
export async function auditBackup(ctx: ControlContext, { file }: { file: string }): Promise<void> {
  const what = { act: 'backup.make', subject: file.slice(-80) } as const;
  const who = await permit(ctx, 'admin', what);
  await auditedChange(ctx, who, what, async () => ({ answer: undefined }));
}
