import type { AuditEntry } from '@/server/contract/console/lock-row';
import type { NamespacePolicy } from '@/server/contract/namespace-policy';
import { spokenDuration } from '../format/durations';
import { revText, shortToken } from '../format/tokens';
import { visibleText } from '../format/visible-name';
import type { IconName } from '../icons/icon-shapes';
import { formatPolicy } from '../namespaces/format-policy';

const ACTION_LABELS: Record<string, string> = {
  'lock.forceRelease': 'Released a lock',
  'lock.extend': 'Extended a lock',
  'counter.create': 'Made a counter',
  'counter.adjust': 'Set a counter',
  'counter.setBounds': 'Changed a counter’s bounds',
  'lock.askRelease': 'Asked a holder to let go',
  'lock.stopRenewals': 'Stopped renewals',
  'lock.freeze': 'Froze a lock',
  'lock.unfreeze': 'Unfroze a lock',
  'lock.delete': 'Deleted free locks',
  'counter.delete': 'Deleted counters',
  'key.create': 'Made an API key',
  'key.revoke': 'Revoked an API key',
  'user.create': 'Added a person',
  'user.setRole': 'Changed a role',
  'user.setDisabled': 'Disabled or enabled a person',
  'user.resetPassword': 'Reset a password',
  'namespace.create': 'Made a namespace',
  'namespace.setPolicy': 'Changed a policy',
  'backend.reshard': 'Resharded a backend',
  'backup.make': 'Made a backup',
  'backup.restore': 'Restored a backup',
  'clock.set': 'Saw that a clock was set',
  'session.setup': 'Made the first admin',
  'session.signIn': 'Signed in',
  'session.signOut': 'Signed out',
  'session.changePassword': 'Changed a password',
};

/** What was done, in words; an act that this page does not know yet by its name. */
export const actionLabel = (act: string): string => ACTION_LABELS[act] ?? act;

export interface OutcomeStyle {
  word: string;
  icon: IconName;
  ink: string;
  /** What the word means, for the hover. */
  meaning: string;
}

export const OUTCOMES: Record<AuditEntry['outcome'], OutcomeStyle> = {
  done: { word: 'Done', icon: 'check', ink: 'text-t2', meaning: 'It happened.' },
  changed: {
    word: 'Changed',
    icon: 'refresh',
    ink: 'text-contended',
    meaning: 'Another hold was there than the one that was seen: nothing happened.',
  },
  refused: {
    word: 'Refused',
    icon: 'close',
    ink: 'text-dangertext',
    meaning: 'It was not allowed: nothing happened.',
  },
  failed: {
    word: 'Failed',
    icon: 'alert-circle',
    ink: 'text-dangertext',
    meaning: 'It went wrong: nothing happened.',
  },
  not_applied: {
    word: 'Not applied',
    icon: 'close',
    ink: 'text-t2',
    meaning: 'It is known by now that it never happened.',
  },
  unknown: {
    word: 'Unknown',
    icon: 'question',
    ink: 'text-unknown',
    meaning: 'It may have happened: the backend did not answer. Lockyard finds out by itself.',
  },
  pending: {
    word: 'Pending',
    icon: 'hourglass',
    ink: 'text-expiring',
    meaning: 'It was announced, and nothing has been heard of it yet.',
  },
};

type Facts = Record<string, unknown>;

/** Instants stand in their own column; what an answer repeats of the outcome says nothing. */
const HIDDEN_FIELDS = new Set([
  'outcome',
  'expiresAt',
  'lastAt',
  'holders',
  'ended',
  'state',
  'requestId',
  'id',
]);

function formatFact(key: string, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') {
    if (/token$/i.test(key)) return `${fieldLabel(key)} ${shortToken(value)}`;
    if (key === 'count') return `${value} times`;
    if (key === 'rev') return `rev ${revText(value)}`;
    if (key.endsWith('Ms'))
      return `${fieldLabel(key.replace(/(In)?Ms$/, ''))} ${spokenDuration(value)}`;
    return `${fieldLabel(key)} ${value}`;
  }
  if (typeof value === 'boolean') return `${fieldLabel(key)} ${value ? 'yes' : 'no'}`;
  if (key === 'message') return visibleText(String(value));
  if (typeof value === 'string') return `${fieldLabel(key)} ${visibleText(value)}`;
  if (Array.isArray(value))
    return `${fieldLabel(key)} ${value.map((each) => visibleText(String(each))).join(', ')}`;
  if ('leaseMaxMs' in (value as Facts)) {
    return `${fieldLabel(key)}: ${formatPolicy(value as NamespacePolicy)}`;
  }
  return formatNextGrant(value as Facts);
}

/** Who got the lock, where an answer tells it. */
function formatNextGrant(next: Facts): string | null {
  if (next.kind === 'nobody') return 'nobody waited';
  return typeof next.owner === 'string'
    ? `${String(next.kind)} to ${visibleText(next.owner)}`
    : null;
}

const fieldLabel = (key: string) =>
  key.replaceAll(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  );

/** The recorded facts of one side of an act as one line: `token …7016, rev 41`. */
export function formatFacts(facts: Facts): string {
  return Object.entries(facts)
    .filter(([key]) => !HIDDEN_FIELDS.has(key))
    .map(([key, value]) => formatFact(key, value))
    .filter((words) => words !== null)
    .map((words, i, all) => (i < all.length - 1 ? words.replace(/\.$/, '') : words))
    .join(', ');
}
