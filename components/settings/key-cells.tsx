import { KEY_EXPIRES_SOON_MS, type KeyVerb } from '@/server/contract/key-verbs';
import { Icon } from '../icons/icon';
import { Instant } from '../ui/instant';
import { VisibleText } from '../ui/visible-text';

export interface IdentifiedKey {
  id: string;
  name: string;
  createdAt: number;
  createdBy: string;
}

interface ShownKey {
  namespaces: string[];
  prefix: string | null;
  verbs: KeyVerb[] | null;
  isWitness: boolean;
  expiresAt: number | null;
  replacedBy: string | null;
  state: 'live' | 'expired' | 'revoked';
}

/** A key as the table of keys shows it. */
export interface ListedKey extends IdentifiedKey, ShownKey {
  lastUsedAt: number | null;
}

/** Which key of a service is meant: several may have its name. */
export function KeyIdentity({ of, now }: { of: IdentifiedKey; now: number }) {
  const { id, createdAt, createdBy } = of;
  return (
    <p className="text-t2">
      Key <span className="font-mono">{id}</span>, created <Instant at={createdAt} now={now} /> by{' '}
      <VisibleText text={createdBy} />
    </p>
  );
}

/** What a key may use. */
export function KeyAccess({ of }: { of: ShownKey }) {
  if (of.isWitness) return <>witness, no locks</>;
  return (
    <>
      {of.namespaces.join(', ')}
      {of.prefix !== null && (
        <span className="block text-12">
          only{' '}
          <span className="font-mono">
            <VisibleText text={of.prefix} />…
          </span>
        </span>
      )}
      {of.verbs && <span className="block text-12 text-t3">may {of.verbs.join(', ')}</span>}
    </>
  );
}

/** When a key expires. One that was not rotated is marked two weeks before. */
export function KeyExpiry({ of, now }: { of: ShownKey; now: number }) {
  const { expiresAt, replacedBy, state } = of;
  if (state === 'revoked' || expiresAt === null)
    return <span className="hidden text-t3 md:inline">–</span>;
  const isSoon = state === 'live' && replacedBy === null && expiresAt <= now + KEY_EXPIRES_SOON_MS;
  return (
    <span className={isSoon ? 'text-contended' : ''}>
      <span className="md:hidden">expires </span>
      <Instant at={expiresAt} now={now} />
      {isSoon && (
        <span className="flex items-center gap-1 text-12">
          <Icon name="alert-triangle" size={12} /> soon: rotate it
        </span>
      )}
      {replacedBy !== null && <span className="block text-12 text-t3">was rotated</span>}
    </span>
  );
}
