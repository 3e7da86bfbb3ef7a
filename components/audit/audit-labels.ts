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

const ACTION_LABELS: Record<string, string> = {
  'lock.forceRelease': 'Force-released lock',
  'lock.reassign': 'Reassigned lock',
  'lock.extend': 'Extended lease',
  'lock.takeOn': 'Took charge of lock',
  'lock.stepBack': 'Stepped back from lock',
  'counter.create': 'Created counter',
  'counter.adjust': 'Set counter',
  'counter.adjustBy': 'Adjusted counter',
  'counter.setBounds': 'Changed counter limits',
  'lock.askRelease': 'Requested release',
  'lock.stopRenewals': 'Blocked renewals',
  'lock.freeze': 'Froze lock',
  'lock.unfreeze': 'Unfroze lock',
  'lock.setCapacity': 'Changed capacity',
  'lock.delete': 'Deleted free locks',
  'counter.delete': 'Deleted counters',
  'counter.reconcile': 'Reconciled gate',
  'key.create': 'Created API key',
  'namespace.remove': 'Removed namespace',
  'user.remove': 'Removed user',
  'key.change': 'Changed API key',
  'key.rotate': 'Rotated API key',
  'key.revoke': 'Revoked API key',
  'user.create': 'Added user',
  'user.setRole': 'Changed role',
  'user.setDisabled': 'Disabled or enabled user',
  'user.resetPassword': 'Reset password',
  'user.endSessions': 'Signed out user',
  'namespace.create': 'Created namespace',
  'namespace.setPolicy': 'Changed policy',
  'alert.silence': 'Silenced alerts',
  'alert.endSilence': 'Ended silence',
  'alert.setRules': 'Changed alert rules',
  'config.apply': 'Applied configuration',
  'backend.reshard': 'Resharded backend',
  'backup.make': 'Created backup',
  'backup.restore': 'Restored backup',
  'secret.reset': 'Reset secret',
  'clock.set': 'Detected clock change',
  'lab.start': 'Started race',
  'lab.stop': 'Stopped race',
  'session.setup': 'Created first admin',
  'session.signIn': 'Signed in',
  'session.signOut': 'Signed out',
  'session.end': 'Signed out another session',
  'session.endOthers': 'Signed out other sessions',
  'session.changePassword': 'Changed password',
};

/** The label of what an entry records. */
export const entryLabel = ({ act, seen }: Pick<AuditEntry, 'act' | 'seen'>): string =>
  act === 'user.setDisabled' && typeof seen.disabled === 'boolean'
    ? `${seen.disabled ? 'Disabled' : 'Enabled'} user`
    : actionLabel(act);

/** The label of an action; the name of an action that this page does not know yet. */
export const actionLabel = (act: string): string => ACTION_LABELS[act] ?? act;

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
    meaning: 'May have been applied: the backend did not respond. Being resolved automatically.',
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
