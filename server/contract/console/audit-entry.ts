export const AUDIT_OUTCOMES = [
  'pending',
  'done',
  'changed',
  'refused',
  'failed',
  'unknown',
  'not_applied',
] as const;

/** An entry of the audit log. `outcome` `pending`: the result of the action is not known yet. */
export interface AuditEntry {
  id: number;
  at: number;
  actor: string;
  actorKind: 'user' | 'cli' | 'system';
  address: string;
  act: string;
  namespace: string | null;
  subject: string;
  reason: string;
  seen: Record<string, unknown>;
  outcome: (typeof AUDIT_OUTCOMES)[number];
  result: Record<string, unknown>;
  closedAt: number | null;
  /** The id that the caller sent with the action, or else the one that the server assigned. */
  requestId: string;
}
