import {
  type BackendCourses,
  type BackendHealth,
  type BackendLossRow,
  LOSS_LABELS,
  refusalsOf,
} from '@/server/contract/console/backend-health';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { agoText, runningDuration } from '@/server/core/format/durations';
import { plural } from '@/server/core/format/numbers';
import { Icon } from '../icons/icon';
import { NearLink } from '../navigation/near-link';
import { outShards } from '../shards/out-shards';
import { ProblemNote } from '../ui/problem-note';
import { BackendFacts } from './backend-facts';
import { GuaranteeBadge, GuaranteeVerdict } from './guarantee-verdict';
import { LatencyCourse } from './latency-course';
import { storeLabel } from './store-label';
import { StoreSettings } from './store-settings';

/**
 * One backend: its guarantees and their reasons, its health, and the settings that were checked.
 */
export function BackendCard({
  backend,
  row,
  courses,
  namespaces,
}: {
  backend: BackendHealth;
  /** Null where it could not be read for the first paint. */
  row: GuaranteeRow | null;
  /** Null while they are not known. */
  courses: BackendCourses | null;
  namespaces: NamespaceRow[] | null;
}) {
  const { id, kind, reachable, loss } = backend;
  return (
    <li
      id={`backend-${id}`}
      aria-label={`Backend ${id}`}
      className={`card ${reachable ? '' : 'border-dashed border-unknown!'}`}
    >
      <div className="flex items-center gap-2.5 border-line border-b px-3.5 py-2.5">
        <Icon
          name={reachable ? 'database' : 'question'}
          size={18}
          className={reachable ? 'text-t2' : 'text-unknown'}
        />
        <h2 className="min-w-0 truncate font-[620]">{id}</h2>
        <span className="min-w-0 truncate text-12 text-t3">{storeLabel(kind)}</span>
        <span className="ml-auto flex">
          <GuaranteeBadge row={row} isSilent={!reachable} />
        </span>
      </div>
      {loss && <DataLossNote loss={loss} />}
      <ShardsSummary backend={backend} />
      <div className="backend-parts grid lg:grid-cols-[9fr_10fr_9fr]">
        <GuaranteeVerdict row={row} />
        <div>
          <BackendFacts backend={backend} row={row} namespaces={namespaces} />
          {courses && <LatencyCourse backend={id} {...courses} />}
        </div>
        {row ? <StoreSettings row={row} /> : <div />}
      </div>
    </li>
  );
}

/** Reports data loss and its effect: emphasised while grants are paused because of it. */
function DataLossNote({ loss: { what, agoMs, quietForMs } }: { loss: BackendLossRow }) {
  const isPaused = quietForMs > 0;
  return (
    <div
      role={isPaused ? 'alert' : undefined}
      data-loss={what}
      className={`flex gap-2.5 border-line border-b px-3.5 py-2.5 text-13 ${isPaused ? 'bg-danger-tint text-t1' : 'text-t2'}`}
    >
      <Icon
        name="alert-circle"
        size={16}
        className={`mt-0.5 ${isPaused ? 'text-dangertext' : 'text-t3'}`}
      />
      <div className="min-w-0">
        <p className="font-[620]">Data loss detected {agoText(agoMs)}.</p>
        <p>
          {LOSS_LABELS[what]} All holds on this backend at that time have ended; their processes may
          still be running.
        </p>
        <p>
          {isPaused
            ? `Grants resume in ${runningDuration(quietForMs)}, when every lost lease must have ` +
              'expired.'
            : 'Grants have resumed, with higher tokens than any before.'}
        </p>
      </div>
    </div>
  );
}

/** Says that a backend is sharded and which shards do not serve, and links to its shards. */
function ShardsSummary({ backend }: { backend: BackendHealth }) {
  const { id, shards, refusal } = backend;
  if (!shards) return null;
  const counted = refusal ? '' : outShards(shards);
  return (
    <div className="grid gap-2.5 border-line border-b px-3.5 py-2.5 text-13">
      {refusal && (
        <ProblemNote problem={{ text: refusal }} title="Backend disabled on this server" />
      )}
      <p>
        Sharded across {plural(shards.length, 'database')}
        {counted && <span className="text-unknown">, {counted}</span>} ·{' '}
        <NearLink href={`/backends/${encodeURIComponent(id)}`} className="link">
          Shard details
        </NearLink>
      </p>
      {refusalsOf({ ...backend, refusal: null }).map(({ shard, reason }) => (
        <p key={shard} className="text-t2 [overflow-wrap:anywhere]">
          <span className="font-mono text-t1">{shard}</span> rejects requests. {reason}
        </p>
      ))}
    </div>
  );
}
