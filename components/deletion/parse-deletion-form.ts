import { DELETE_NAMES_MAX } from '@/server/contract/console/console-terms';
import type { DeletionForm } from './deletion-fields';
import type { DeletionTarget } from './use-deletion';

/** What was typed as what is asked for; null while it says nothing, or names too many. */
export function parseDeletionForm(
  kind: DeletionTarget['kind'],
  typed: DeletionForm,
): DeletionTarget | null {
  const { namespace, way, prefix } = typed;
  if (way === 'prefix') return { namespace, kind, prefix };
  const names = [...new Set(typed.names.split('\n').filter((name) => name !== ''))];
  return names.length > 0 && names.length <= DELETE_NAMES_MAX ? { namespace, kind, names } : null;
}
