import { asc } from 'drizzle-orm';
import type { NamespaceRow } from '../domain/namespace-row';
import { askDatabase } from './ask-database';
import { storedPolicy } from './namespace-directory';
import type { OperationContext } from './operation-context';
import { requireRole } from './require-role';

/** Every namespace, by name. */
export async function listNamespaces(ctx: OperationContext): Promise<NamespaceRow[]> {
  await requireRole(ctx, 'viewer');
  const { database, board } = ctx.runtime;
  const { namespaces } = database.tables;
  const rows = await askDatabase(() =>
    database.db.select().from(namespaces).orderBy(asc(namespaces.id)),
  );
  return rows.map(({ id: name, backend, createdAt, policy }) => {
    const page = board.page({ namespace: name, sort: 'name', descending: false, limit: 1 });
    return {
      name,
      backend,
      createdAt,
      locks: page.matching,
      policy: storedPolicy(policy),
      hasOwnPolicy: policy !== null,
    };
  });
}
