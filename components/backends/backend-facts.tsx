import { type BackendHealth, outagesOf } from '@/server/contract/console/backend-health';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { durationText } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { latencyText } from '../format/durations';
import { keepUnits, knownCount } from '../format/numbers';
import { NearLink } from '../navigation/near-link';
import { pausedForMs } from '../shell/sort-by-severity';
import { Fact, Facts } from '../ui/facts/facts';
import { Silence } from './aged-reading';

/** A smaller clock skew is not worth showing. */
const CLOCK_SKEW_MIN_MS = 250;

const FAILS_FAST = 'Calls fail within 5 s with BACKEND_DOWN or UNKNOWN';

/** What a failure of the store means, for an operator on call. */
const FAILURE_EFFECTS: Record<string, string> = {
  sqlite:
    'Runs inside this server. Acknowledged writes survive a restart; leases keep counting ' +
    'down meanwhile.',
  mysql:
    `${FAILS_FAST} and recover within 5 s after it is back. Leases keep counting down meanwhile. ` +
    'Before promoting a replica, stop every server and raise the epoch.',
  redis:
    `${FAILS_FAST} and recover within 5 s after it is back. If it lost data, its holds are lost: ` +
    'tokens continue in a higher epoch, with no grants for the longest lease in use.',
  zookeeper:
    `${FAILS_FAST} and recover once its clock has been measured again. Records are kept; ` +
    'leases keep counting down meanwhile.',
};

/** The health of a backend, its namespaces and locks, and what its failure would mean. */
export function BackendFacts({
  backend,
  row,
  namespaces,
}: {
  backend: BackendHealth;
  /** Null while its guarantees are not known. */
  row: GuaranteeRow | null;
  /** Null where they could not be read. */
  namespaces: NamespaceRow[] | null;
}) {
  const { kind, reachable, latencyMs, clockOffsetMs } = backend;
  const locks = namespaces && knownCount(sumOfLocks(namespaces), !reachable);
  const effect = FAILURE_EFFECTS[kind];
  return (
    <Facts>
      <Fact label="Status">
        <Status backend={backend} row={row} />
      </Fact>
      <Fact label="Latency">
        {latencyMs === null ? (
          <Unknown />
        ) : (
          <>
            {latencyText(latencyMs)}
            {!reachable && <LastKnown />}
          </>
        )}
      </Fact>
      <Fact label="Clock skew">
        {latencyMs === null ? (
          <Unknown />
        ) : (
          <>
            {clockSkewText(clockOffsetMs)}
            {!reachable && <LastKnown />}
          </>
        )}
      </Fact>
      <Fact label="Namespaces">
        {namespaces === null ? (
          <Unknown />
        ) : namespaces.length === 0 ? (
          <span className="text-t3">none</span>
        ) : (
          <NamespaceLinks namespaces={namespaces} />
        )}
      </Fact>
      <Fact label="Locks">
        {locks === null ? <Unknown /> : exactCount(locks)}
        {!reachable && locks !== null && (
          <span className="text-t2">, shown as unknown with their last state</span>
        )}
      </Fact>
      {effect && (
        <Fact label="On failure">
          <span className="text-t2">{keepUnits(effect)}</span>
        </Fact>
      )}
    </Facts>
  );
}

/** A backend is healthy if it grants locks. */
function Status({ backend, row }: { backend: BackendHealth; row: GuaranteeRow | null }) {
  const { refusal, silentForMs, shards } = backend;
  const [outage] = outagesOf(backend);
  if (outage === 'rejecting requests' || outage === 'disabled on this server') {
    // The card says above why a sharded backend, or a shard, does not serve.
    const isSaid = shards || !refusal || row?.reading?.reasons.includes(refusal);
    const label = outage === 'rejecting requests' ? 'rejects requests' : outage;
    return <span className="text-dangertext">{isSaid ? label : refusal}</span>;
  }
  if (outage) {
    return (
      <span className="text-unknown">
        no response for <Silence ms={silentForMs} />
      </span>
    );
  }
  const isClosed = row !== null && row.closedBecause !== null;
  if (isClosed || pausedForMs(backend) > 0) {
    return (
      <span className="text-dangertext">responding, grants {isClosed ? 'disabled' : 'paused'}</span>
    );
  }
  return row ? 'healthy' : 'responding';
}

const LastKnown = () => <span className="text-t3">, last known</span>;

const sumOfLocks = (namespaces: NamespaceRow[]) =>
  namespaces.reduce((sum, { locks }) => sum + locks, 0);

const Unknown = () => <span className="text-t3">unknown</span>;

function NamespaceLinks({ namespaces }: { namespaces: NamespaceRow[] }) {
  return namespaces.map(({ name }, place) => (
    <span key={name}>
      {place > 0 && ', '}
      <NearLink
        href={`/?namespace=${encodeURIComponent(name)}`}
        className="rounded-4 underline decoration-line2 underline-offset-3 hover:decoration-current"
      >
        {name}
      </NearLink>
    </span>
  ));
}

function clockSkewText(offsetMs: number): string {
  const skewMs = Math.abs(offsetMs);
  if (skewMs < CLOCK_SKEW_MIN_MS) return 'in sync';
  return `${durationText(skewMs)} ${offsetMs > 0 ? 'ahead of' : 'behind'} the server`;
}
