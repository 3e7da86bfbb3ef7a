import type { Filling } from '../../contract/console/namespace-row';
import { findFilling } from '../../core/filling-namespaces';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';

/** Which namespaces are full or soon will be, as far as this process knows. Reads no database. */
export async function listFilling(ctx: OperationContext): Promise<Filling | null> {
  await requireRole(ctx, 'viewer');
  const { namespaces, nameCount } = ctx.runtime;
  const used = Array.from(namespaces.all(), ({ name }) => {
    const { locks, counters } = nameCount.of(name);
    return { name, used: locks + counters, maxLocks: namespaces.policyOf(name).maxLocks };
  });
  return findFilling(used.sort((a, b) => (a.name < b.name ? -1 : 1)));
}
