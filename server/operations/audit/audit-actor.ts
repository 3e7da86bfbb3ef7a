import type { UserActor } from '../../auth/actor';
import type { AuditEntry } from '../../contract/console/audit-entry';
import type { ConsoleActor } from '../require-role';

/** The actor, as the audit log names it. */
export interface AuditActor {
  name: string;
  kind: AuditEntry['actorKind'];
}

export function auditActor(person: ConsoleActor): AuditActor {
  if (person.kind === 'user') return { name: person.name, kind: 'user' };
  if (person.kind === 'cli') return { name: 'command line', kind: 'cli' };
  return { name: 'Lockyard', kind: 'system' };
}

/** The user of an act on their own account: any role may do it; the session is checked again. */
export const ownAccountActor = (user: UserActor) =>
  ({ ...auditActor(user), role: 'viewer' }) as const;
