import { formatLock } from '../../../client/command/terminal/format-lock';
import type { OperationContext } from '../../operations/operation-context';
import type { RecordKey } from '../../storage/record-store';
import type { CliAnswer } from '../cli-answer';
import { readLock } from './read-lock';

/** One lock, read from its store now: as text, or the fields of `lock.inspect` with its name. */
export async function showLock(
  ctx: OperationContext,
  { namespace, name }: RecordKey,
): Promise<CliAnswer> {
  const answer = await readLock(ctx, { namespace, name });
  return { text: formatLock(namespace, name, answer), data: { namespace, name, ...answer } };
}
