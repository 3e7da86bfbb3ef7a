/** Every act that is audited. */
export const AUDIT_ACTS = [
  'lock.forceRelease',
  'lock.reassign',
  'lock.extend',
  'lock.askRelease',
  'lock.stopRenewals',
  'lock.freeze',
  'lock.unfreeze',
  'lock.setCapacity',
  'lock.takeOn',
  'lock.stepBack',
  'lock.delete',
  'counter.create',
  'counter.adjust',
  'counter.adjustBy',
  'counter.setBounds',
  'counter.delete',
  'counter.reconcile',
  'key.create',
  'key.change',
  'key.rotate',
  'key.revoke',
  'user.create',
  'user.setRole',
  'user.setDisabled',
  'user.resetPassword',
  'user.remove',
  'user.endSessions',
  'namespace.create',
  'namespace.setPolicy',
  'namespace.remove',
  'alert.silence',
  'alert.endSilence',
  'alert.setRules',
  'config.apply',
  'backend.reshard',
  'backup.make',
  'backup.restore',
  'secret.reset',
  'clock.set',
  'backend.dataLoss',
  'lab.start',
  'lab.stop',
  'session.setup',
  'session.signIn',
  'session.signOut',
  'session.end',
  'session.endOthers',
  'session.changePassword',
] as const;
export type AuditAct = (typeof AUDIT_ACTS)[number];

/** What is about to be done, and to which subject. Never contains a secret. */
export interface AuditedAct {
  act: AuditAct;
  namespace?: string;
  subject: string;
  /** The reason that the operator gave. */
  reason?: string;
  /** What was seen before the act, such as token and rev. */
  seen?: Record<string, unknown>;
  /** The caller's id for the act, with which it can be repeated safely; stored within `seen`. */
  requestId?: string | undefined;
}

/** What an entry stores in `seen`: the facts that were seen, and the act's request id. */
export function readSeen(stored: string): Pick<AuditedAct, 'seen' | 'requestId'> {
  const { requestId, ...seen } = JSON.parse(stored) as Record<string, unknown>;
  return typeof requestId === 'string' ? { seen, requestId } : { seen };
}
