import { asc, isNull } from 'drizzle-orm';
import type { NamespaceRow } from '../../contract/console/namespace-row';
import { askDatabase } from '../ask-database';
import type { OperationContext } from '../operation-context';
import { requireRole } from '../require-role';
import { policyOfRow } from './namespace-directory';

/** Every namespace, by name. */
export async function listNamespaces(ctx: OperationContext): Promise<NamespaceRow[]> {
  await requireRole(ctx, 'viewer');
  const { database, projection, nameCount } = ctx.runtime;
  const { namespaces } = database.tables;
  const rows = await askDatabase(() =>
    database.db
      .select()
      .from(namespaces)
      .where(isNull(namespaces.removedAt))
      .orderBy(asc(namespaces.id)),
  );
  const tallyOf = await projection.tallies();
  return rows.map((row) => {
    const { id: name, backend, createdAt } = row;
    return {
      name,
      backend,
      createdAt,
      ...tallyOf(name, backend),
      ...nameCount.of(name),
      policy: policyOfRow(row),
      hasOwnPolicy: row.policy !== null,
    };
  });
}
