import Link from 'next/link';
import type { BackendHealth } from '@/server/contract/console/lock-row';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { exactCount } from '../format/counts';
import { spokenDuration } from '../format/durations';
import { latencyText } from '../shell/backend-health-list';
import { FAILURE_EFFECTS } from './store-labels';

/** A clock that is off by less than this is as good as right. */
const CLOCK_NEAR_MS = 250;

/** How a backend is at the moment, what lives on it, and what its death would mean. */
export function BackendFacts({
  backend,
  spaces,
}: {
  backend: BackendHealth;
  /** Null where they could not be read. */
  spaces: NamespaceRow[] | null;
}) {
  const { kind, reachable, refusal, shards, latencyMs, silentForMs, clockOffsetMs } = backend;
  const locks = spaces?.reduce((sum, space) => sum + space.locks, 0) ?? null;
  return (
    <dl className="plain-facts">
      <div>
        <dt>State</dt>
        <dd>
          {reachable ? (
            'answers'
          ) : refusal && !shards ? (
            <span className="text-dangertext">{refusal}</span>
          ) : (
            <span className="text-unknown">silent for {spokenDuration(silentForMs)}</span>
          )}
        </dd>
      </div>
      <div>
        <dt>Round trip</dt>
        <dd>
          {latencyMs === null ? (
            <span className="text-t3">not measured yet</span>
          ) : (
            <>
              {latencyText(latencyMs)}
              {!reachable && <span className="text-t3"> when it last answered</span>}
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Its clock</dt>
        <dd>
          {latencyMs === null ? (
            <span className="text-t3">not read yet</span>
          ) : (
            clockSkewText(clockOffsetMs)
          )}
        </dd>
      </div>
      <div>
        <dt>Namespaces</dt>
        <dd>
          {spaces === null ? (
            <span className="text-t3">not read</span>
          ) : spaces.length === 0 ? (
            <span className="text-t3">none</span>
          ) : (
            <NamespaceLinks spaces={spaces} />
          )}
        </dd>
      </div>
      <div>
        <dt>Locks</dt>
        <dd>
          {locks === null ? <span className="text-t3">not read</span> : exactCount(locks)}
          {!reachable && (
            <span className="text-t2">, shown as unknown with their last good reading</span>
          )}
        </dd>
      </div>
      {FAILURE_EFFECTS[kind] && (
        <div>
          <dt>If it dies</dt>
          <dd className="text-t2">{FAILURE_EFFECTS[kind]}</dd>
        </div>
      )}
    </dl>
  );
}

function NamespaceLinks({ spaces }: { spaces: NamespaceRow[] }) {
  return spaces.map(({ name }, place) => (
    <span key={name}>
      {place > 0 && ', '}
      <Link
        href={`/?namespace=${encodeURIComponent(name)}`}
        className="rounded-4 underline decoration-line2 underline-offset-3 hover:decoration-current"
      >
        {name}
      </Link>
    </span>
  ));
}

function clockSkewText(offsetMs: number): string {
  const off = Math.abs(offsetMs);
  if (off < CLOCK_NEAR_MS) return 'agrees with the server’s';
  return `${spokenDuration(off)} ${offsetMs > 0 ? 'ahead of' : 'behind'} the server’s`;
}
