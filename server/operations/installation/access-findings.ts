import { KEY_EXPIRES_SOON_MS } from '../../contract/key-verbs';
import { DAY_MS, HOUR_MS } from '../../core/time-units';
import { type Finding, lengthOf, ok, problem, warning } from './finding';

const BACKUP_MAX_AGE_MS = 7 * DAY_MS;
const UNUSED_MS = 90 * DAY_MS;
/** An expired key that was used within this time may still be needed. */
const IN_USE_MS = 14 * DAY_MS;
/** A rotated key used within this time before the end of its grace period is still needed. */
const LATE_USE_MS = HOUR_MS;

interface KeyFacts {
  name: string;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
  /** Null, or absent: it does not expire. */
  expiresAt?: number | null;
  /** The key that took its place; null, or absent: none. */
  replacedBy?: string | null;
}

/** Findings on keys that expire, and on keys that no program uses. @param now epoch milliseconds */
export function keyFindings(keys: KeyFacts[], now: number): Finding[] {
  // A key that has expired is stored as revoked at that instant, by now or in a moment.
  const wasRevoked = ({ revokedAt, expiresAt = null }: KeyFacts) =>
    revokedAt !== null && (expiresAt === null || revokedAt < expiresAt);
  const live = keys.filter((key) => !wasRevoked(key));
  const found = live.flatMap((key): Finding[] => {
    const { name, createdAt, lastUsedAt, expiresAt = null, replacedBy = null } = key;
    const subject = `API key ${name}`;
    if (expiresAt !== null && expiresAt <= now) return expiredFindings(key, expiresAt, now);
    // For a rotated key this is only the end of its grace period.
    if (replacedBy !== null) return [];
    if (expiresAt !== null && expiresAt - now < KEY_EXPIRES_SOON_MS) {
      const rotate = 'Rotate it, and give the new key to the service.';
      return [warning(subject, `expires in ${lengthOf(expiresAt - now)}`, rotate)];
    }
    const unusedMs = now - (lastUsedAt ?? createdAt);
    if (unusedMs < UNUSED_MS) return [];
    return [
      warning(
        subject,
        `was not used for ${lengthOf(unusedMs)}`,
        'Revoke it if no program needs it.',
      ),
    ];
  });
  if (found.length > 0) return found;
  const working = live.filter(({ expiresAt = null }) => expiresAt === null || expiresAt > now);
  return [ok('API keys', `${working.length}, none expires soon`)];
}

/** Findings on an expired key that a program may still use. */
function expiredFindings(
  { name, lastUsedAt, replacedBy = null }: KeyFacts,
  expiresAt: number,
  now: number,
): Finding[] {
  if (lastUsedAt === null || now - lastUsedAt >= IN_USE_MS) return [];
  if (replacedBy !== null && expiresAt - lastUsedAt >= LATE_USE_MS) return [];
  const says = `expired ${lengthOf(now - expiresAt)} ago, and was in use`;
  const advice =
    replacedBy === null
      ? 'Create a new key, and give it to the service.'
      : `Give the service the key that took its place, ${replacedBy}.`;
  return [problem(`API key ${name}`, says, advice)];
}

/** Findings on admins, backups and alert receivers. */
export function upkeepFindings({
  users,
  admins,
  backupAt,
  receivers,
  failing,
  now,
}: {
  users: number;
  /** How many of the users may administer this installation. */
  admins: number;
  /** When the last backup was made; null: never. */
  backupAt: number | null;
  receivers: number;
  /** Receivers that did not accept the last message, and why. */
  failing: { id: string; failure: string }[];
  now: number;
}): Finding[] {
  return [
    admins > 0
      ? ok('users', `${admins} ${admins === 1 ? 'admin' : 'admins'}`)
      : warning(
          'users',
          'there is no admin',
          // The setup link works only while there is no user; the link of the demo creates one.
          users === 0
            ? 'Open the link that the server printed.'
            : 'Run `npm run -s lockyard -- users create --name NAME --role admin`.',
        ),
    backupFinding(backupAt, now),
    ...failing.map(({ id, failure }) =>
      problem(
        `alert receiver ${id}`,
        `did not accept the last message: ${failure}`,
        'See docs/alerts.md.',
      ),
    ),
    receivers > 0
      ? ok('alerts', `sent to ${receivers} ${receivers === 1 ? 'receiver' : 'receivers'}`)
      : warning(
          'alerts',
          'are not sent to anyone, only shown in the console',
          'Set LOCKYARD_WEBHOOK_<ID>: see docs/alerts.md.',
        ),
  ];
}

function backupFinding(at: number | null, now: number): Finding {
  const make = 'Run `npm run -s lockyard -- backup FILE` every day: see docs/operations.md.';
  if (at === null) return warning('backups', 'none has been made yet', make);
  const ago = `the last one was made ${lengthOf(Math.max(0, now - at))} ago`;
  return now - at > BACKUP_MAX_AGE_MS ? warning('backups', ago, make) : ok('backups', ago);
}
