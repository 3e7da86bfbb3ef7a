import { printable } from '../../../client/command/terminal/printable';
import type { AdjustCounterByInput } from '../../contract/console/counter-inputs';
import { LockyardError } from '../../contract/errors';
import { adjustCounterBy } from '../../operations/counters/for-people/adjust-counter-by';
import { engineOf } from '../../operations/locks/resolve-lock';
import type { OperationContext } from '../../operations/operation-context';

type AdjustCommand = Pick<AdjustCounterByInput, 'namespace' | 'name' | 'delta' | 'reason'>;

/**
 * Adds `delta` to a counter, whatever its value. Returns what to print.
 *
 * @throws LockyardError `NOT_FOUND` for a counter that was never created; `CONFLICT` if the result
 *   would be out of its bounds
 */
export async function adjustNamedCounter(
  ctx: OperationContext,
  { namespace, name, delta, reason }: AdjustCommand,
): Promise<string> {
  const engine = await engineOf(ctx, namespace);
  const { rev } = await engine.count({ namespace, name, kind: 'counter' }, { verb: 'get' });
  const answer = await adjustCounterBy(ctx, { namespace, name, rev, delta, reason });
  const counter = printable(name);
  if (answer.outcome === 'adjusted') return `${counter}: ${answer.was} -> ${answer.value}.`;
  const { value, floor, ceiling } = answer;
  const bounds = `floor ${floor ?? 'none'}, ceiling ${ceiling ?? 'none'}`;
  throw new LockyardError(
    'CONFLICT',
    `${counter} is at ${value} (${bounds}): ${delta} would pass a limit; nothing was changed.`,
  );
}
