'use client';

import { useQuery } from '@tanstack/react-query';
import type { BackendHealth } from '@/server/domain/lock-row';
import type { NamespaceRow } from '@/server/domain/namespace-row';
import { exactCount } from '../format/counts';
import { spokenDuration } from '../format/durations';
import { Icon } from '../icons/icon';
import { problemOf } from '../live/problem';
import { useTRPC } from '../live/trpc';
import { latencyText, useBackendsHealth } from '../shell/backend-health-list';
import { PageHead } from '../ui/page-head';
import { ProblemNote } from '../ui/problem-note';

const KIND_WORDS: Record<string, string> = { sqlite: 'SQLite, embedded', mysql: 'MySQL' };

/** How often the number of locks is read again. */
const POLL_MS = 10_000;

/** A clock that is off by less than this is as good as right. */
const CLOCK_NEAR_MS = 250;

/** The stores that keep the locks, and how each of them is. */
export function BackendsView({
  initial,
  initialNamespaces,
}: {
  initial: BackendHealth[];
  /** Null where they could not be read for the first paint. */
  initialNamespaces: NamespaceRow[] | null;
}) {
  const trpc = useTRPC();
  const { data, error } = useBackendsHealth(initial);
  const { data: namespaces } = useQuery(
    trpc.namespaces.list.queryOptions(undefined, {
      ...(initialNamespaces && { initialData: initialNamespaces }),
      refetchInterval: POLL_MS,
    }),
  );
  return (
    <div className="page">
      <div>
        <PageHead title="Backends">
          The stores that keep the locks. They are named in the server’s environment, never here.
        </PageHead>
        {error && (
          <div className="pb-4">
            <ProblemNote problem={problemOf(error)} title="This is the last reading." />
          </div>
        )}
        <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(340px,100%),1fr))] gap-3.5">
          {data.map((backend) => (
            <BackendCard
              key={backend.id}
              backend={backend}
              spaces={namespaces?.filter((space) => space.backend === backend.id) ?? null}
            />
          ))}
        </ul>
        <p className="max-w-[75ch] pt-6 text-t3">
          Another one is added by starting the server with{' '}
          <code className="font-mono text-12 text-t2">LOCKYARD_BACKEND_NAME=mysql://…</code>, and
          used by a namespace made on it.
        </p>
      </div>
    </div>
  );
}

function BackendCard({
  backend,
  spaces,
}: {
  backend: BackendHealth;
  spaces: NamespaceRow[] | null;
}) {
  const locks = spaces?.reduce((sum, space) => sum + space.locks, 0) ?? null;
  const { id, kind, reachable, latencyMs, silentForMs, clockOffsetMs } = backend;
  return (
    <li className={`card ${reachable ? '' : 'border-dashed border-unknown!'}`}>
      <div className="flex items-center gap-2.5 border-line border-b px-3.5 py-2.5">
        <Icon
          name={reachable ? 'check-circle' : 'question'}
          size={18}
          className={reachable ? 'text-acc' : 'text-unknown'}
        />
        <h2 className="min-w-0 truncate font-[620]">{id}</h2>
        <span className="ml-auto text-12 text-t3">{KIND_WORDS[kind] ?? kind}</span>
      </div>
      <dl className="plain-facts">
        <div>
          <dt>State</dt>
          <dd>
            {reachable ? (
              'answers'
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
          <dd>{clockWords(clockOffsetMs)}</dd>
        </div>
        <div>
          <dt>Namespaces</dt>
          <dd>
            {spaces === null ? (
              <span className="text-t3">not read</span>
            ) : spaces.length === 0 ? (
              <span className="text-t3">none</span>
            ) : (
              spaces.map(({ name }) => name).join(', ')
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
      </dl>
    </li>
  );
}

function clockWords(offsetMs: number): string {
  const off = Math.abs(offsetMs);
  if (off < CLOCK_NEAR_MS) return 'agrees with the server’s';
  return `${spokenDuration(off)} ${offsetMs > 0 ? 'ahead of' : 'behind'} the server’s`;
}
