import type { AuditEntry } from '@/server/contract/console/audit-entry';
import type { LabSettings } from '@/server/contract/console/lab/lab-race';
import type { NamespacePolicy } from '@/server/contract/namespace-policy';
import { durationText } from '@/server/core/format/durations';
import { exactCount, timesText } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { exactInstant } from '../format/instants';
import { revText, shortToken } from '../format/numbers';
import type { IconName } from '../icons/icon';
import { settingFacts } from '../lab/run-labels';
import { formatPolicy } from '../namespaces/policy-bounds';

/** What an action is called once it is done, and what its attempt is called. */
const ACTION_LABELS: Record<string, [done: string, tried: string]> = {
  'lock.forceRelease': ['Force-released lock', 'Force release lock'],
  'lock.reassign': ['Reassigned lock', 'Reassign lock'],
  'lock.extend': ['Extended lease', 'Extend lease'],
  'lock.takeOn': ['Said “I’m on it”', 'Say “I’m on it”'],
  'lock.stepBack': ['Stepped back from lock', 'Step back from lock'],
  'counter.create': ['Created counter', 'Create counter'],
  'counter.adjust': ['Set counter', 'Set counter'],
  'counter.adjustBy': ['Adjusted counter', 'Adjust counter'],
  'counter.setBounds': ['Changed counter limits', 'Change counter limits'],
  'lock.askRelease': ['Asked to release', 'Ask to release'],
  'lock.stopRenewals': ['Blocked renewals', 'Block renewals'],
  'lock.freeze': ['Froze lock', 'Freeze lock'],
  'lock.unfreeze': ['Unfroze lock', 'Unfreeze lock'],
  'lock.setCapacity': ['Changed capacity', 'Change capacity'],
  'lock.delete': ['Deleted free locks', 'Delete free locks'],
  'counter.delete': ['Deleted counters', 'Delete counters'],
  'counter.reconcile': ['Reconciled gate', 'Reconcile gate'],
  'key.create': ['Created API key', 'Create API key'],
  'namespace.remove': ['Removed namespace', 'Remove namespace'],
  'user.remove': ['Removed user', 'Remove user'],
  'key.change': ['Changed API key', 'Change API key'],
  'key.rotate': ['Rotated API key', 'Rotate API key'],
  'key.revoke': ['Revoked API key', 'Revoke API key'],
  'user.create': ['Added user', 'Add user'],
  'user.setRole': ['Changed role', 'Change role'],
  'user.setDisabled': ['Disabled or enabled user', 'Disable or enable user'],
  'user.resetPassword': ['Reset password', 'Reset password'],
  'user.endSessions': ['Signed out user', 'Sign out user'],
  'namespace.create': ['Created namespace', 'Create namespace'],
  'namespace.setPolicy': ['Changed policy', 'Change policy'],
  'alert.silence': ['Silenced alerts', 'Silence alerts'],
  'alert.endSilence': ['Ended silence', 'End silence'],
  'alert.setRules': ['Changed alert rules', 'Change alert rules'],
  'config.apply': ['Applied configuration', 'Apply configuration'],
  'backend.reshard': ['Resharded backend', 'Reshard backend'],
  'backup.make': ['Created backup', 'Create backup'],
  'backup.restore': ['Restored backup', 'Restore backup'],
  'secret.reset': ['Reset secret', 'Reset secret'],
  'clock.set': ['Detected clock change', 'Detect clock change'],
  'backend.dataLoss': ['Detected data loss', 'Detect data loss'],
  'lab.start': ['Started race', 'Start race'],
  'lab.stop': ['Stopped race', 'Stop race'],
  'session.setup': ['Created first admin', 'Create first admin'],
  'session.signIn': ['Signed in', 'Sign in'],
  'session.signOut': ['Signed out', 'Sign out'],
  'session.end': ['Signed out another session', 'Sign out another session'],
  'session.endOthers': ['Signed out other sessions', 'Sign out other sessions'],
  'session.changePassword': ['Changed password', 'Change password'],
};

/** The label of what an entry records; in the past tense only if the action was carried out. */
export function entryLabel({ act, seen, outcome }: EntryFacts): string {
  const isDone = outcome === 'done';
  if (act === 'user.setDisabled' && typeof seen.disabled === 'boolean')
    return `${seen.disabled ? 'Disable' : 'Enable'}${isDone ? 'd' : ''} user`;
  return ACTION_LABELS[act]?.[isDone ? 0 : 1] ?? act;
}

type EntryFacts = Pick<AuditEntry, 'act' | 'seen' | 'outcome'>;

/** The label of an action; the name of an action that this page does not know yet. */
export const actionLabel = (act: string): string => ACTION_LABELS[act]?.[1] ?? act;

interface OutcomeStyle {
  label: string;
  icon: IconName;
  ink: string;
  /** What the label means, as a tooltip. */
  meaning: string;
}

export const OUTCOMES: Record<AuditEntry['outcome'], OutcomeStyle> = {
  done: { label: 'Done', icon: 'check', ink: 'text-t2', meaning: 'Succeeded.' },
  changed: {
    label: 'Changed',
    icon: 'refresh',
    ink: 'text-contended',
    meaning: 'It had changed since it was seen; no action taken.',
  },
  refused: {
    label: 'Rejected',
    icon: 'close',
    ink: 'text-dangertext',
    meaning: 'Not permitted; no changes made.',
  },
  failed: {
    label: 'Failed',
    icon: 'alert-circle',
    ink: 'text-dangertext',
    meaning: 'Failed; no changes made.',
  },
  not_applied: {
    label: 'Not applied',
    icon: 'close',
    ink: 'text-t2',
    meaning: 'Not carried out, or nothing to change.',
  },
  unknown: {
    label: 'Unknown',
    icon: 'question',
    ink: 'text-unknown',
    meaning: 'May have been applied: interrupted, or not finished yet.',
  },
  pending: {
    label: 'Pending',
    icon: 'hourglass',
    ink: 'text-expiring',
    meaning: 'In progress, no result yet.',
  },
};

type Facts = Record<string, unknown>;

/** Instants and the outcome have columns of their own. */
const HIDDEN_FIELDS = new Set([
  'outcome',
  'expiresAt',
  'frozenAt',
  'lastAt',
  'holders',
  'ended',
  'state',
  'requestId',
  'id',
]);

const isPolicy = (value: unknown): value is NamespacePolicy =>
  typeof value === 'object' && value !== null && 'leaseMaxMs' in value;

function formatFact(key: string, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') {
    if (/token$/i.test(key)) return `${fieldLabel(key)} ${shortToken(value)}`;
    if (key === 'count') return timesText(value);
    if (key === 'rev') return `rev ${revText(value)}`;
    if (key.endsWith('Ms')) return `${fieldLabel(key.replace(/Ms$/, ''))} ${durationText(value)}`;
    if (key.endsWith('At')) return `${fieldLabel(key)} ${exactInstant(value)}`;
    return `${fieldLabel(key)} ${exactCount(value)}`;
  }
  if (typeof value === 'boolean') return `${value ? '' : 'not '}${fieldLabel(key)}`;
  if (key === 'message') return visibleText(String(value));
  if (typeof value === 'string') return `${fieldLabel(key)} ${visibleText(value)}`;
  if (Array.isArray(value))
    return `${fieldLabel(key)} ${value.map((each) => visibleText(String(each))).join(', ')}`;
  if (isPolicy(value)) return `${fieldLabel(key)}: ${formatPolicy(value)}`;
  return formatNextGrant(value as Facts);
}

/** The next holder, where an answer names it. There can be waiters and yet no next holder. */
function formatNextGrant(next: Facts): string | null {
  if (next.kind === 'nobody') return 'no new holder';
  return typeof next.owner === 'string'
    ? `${String(next.kind)} to ${visibleText(next.owner)}`
    : null;
}

/** `queueLength` → `queue length` */
const fieldLabel = (key: string) =>
  key.replaceAll(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  );

type RaceFacts = Omit<LabSettings, 'seed' | 'strategies'> & { strategies: number };

/** The settings of a race, in the words of the Lab. */
const formatRace = ({ strategies, ...settings }: RaceFacts): string =>
  [['strategies', strategies], ...settingFacts(settings)].map((fact) => fact.join(' ')).join(', ');

/** The recorded facts of one side of an action in one line: `token …7016, rev 41`. */
export function formatFacts(facts: Facts): string {
  if ('perEntryMs' in facts) return formatRace(facts as RaceFacts);
  // The bounds of a policy are themselves separated by commas.
  const separator = Object.values(facts).some(isPolicy) ? '; ' : ', ';
  return Object.entries(facts)
    .filter(([key]) => !HIDDEN_FIELDS.has(key))
    .map(([key, value]) => formatFact(key, value))
    .filter((fact) => fact !== null)
    .map((fact, i, all) => (i < all.length - 1 ? fact.replace(/\.$/, '') : fact))
    .join(separator);
}
