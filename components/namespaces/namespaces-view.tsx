'use client';

import { useState } from 'react';
import { type BackendHealth, outagesOf } from '@/server/contract/console/backend-health';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { isFilling } from '@/server/core/filling-namespaces';
import { exactCount } from '@/server/core/format/numbers';
import { countText, knownCount } from '../format/numbers';
import { Icon } from '../icons/icon';
import { useSession } from '../live/session';
import { NearLink } from '../navigation/near-link';
import { useBackendsHealth } from '../shell/backend-queries';
import { Button } from '../ui/controls/button';
import { Instant, useServerClock } from '../ui/instant';
import { PageHead } from '../ui/page-head';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { type Column, TableHead } from '../ui/table-head';
import { ReadNote, ReadsLostNote } from '../ui/unanswered/reads-note';
import { CreateNamespaceDialog, PolicyDialog } from './namespace-dialogs';
import { formatPolicy, policyBounds } from './policy-bounds';
import { useNamespaces } from './use-namespaces';

const COLUMNS: Column[] = [
  ...['Name', 'Backend', 'Policy', 'Locks', 'Held', 'Waiting', 'Created'],
  { label: 'Actions', isHidden: true },
];

/** The namespaces: backend, policy and use of each. */
export function NamespacesView({
  initial,
  initialBackends,
  now: paintedAt,
}: {
  /** Null where they could not be read for the first paint. */
  initial: NamespaceRow[] | null;
  initialBackends: BackendHealth[];
  now: number;
}) {
  const { may } = useSession();
  const now = useServerClock(paintedAt);
  const { data: backends } = useBackendsHealth(initialBackends);
  const { namespaces, error } = useNamespaces(initial);
  const [isCreating, setCreating] = useState(false);
  const [changing, setChanging] = useState<NamespaceRow | null>(null);
  const changingNow = namespaces?.find(({ name }) => name === changing?.name);
  const isAdmin = may('admin');
  const outages = new Map(backends.map((health) => [health.id, outagesOf(health)]));
  return (
    <div className="page">
      <PageHead
        title="Namespaces"
        end={
          isAdmin && (
            <Button tone="accent" onClick={() => setCreating(true)}>
              New namespace…
            </Button>
          )
        }
      >
        Isolated lock spaces, each on one backend with its own limits.
      </PageHead>
      <ReadNote read={{ data: namespaces, error }} what="namespaces" className="pb-4" />
      {!namespaces && !error && <RowsSkeleton />}
      {namespaces && (
        <table className="list namespace-list">
          <TableHead columns={COLUMNS} />
          <tbody>
            {namespaces.map((namespace) => (
              <NamespaceTableRow
                key={namespace.name}
                namespace={namespace}
                outage={outages.get(namespace.backend)?.join(' or ') || null}
                now={now}
                onChange={isAdmin ? () => setChanging(namespace) : null}
              />
            ))}
          </tbody>
        </table>
      )}
      {namespaces && (
        <p className="max-w-[80ch] pt-6 text-t2">
          Default policy: {formatPolicy(DEFAULT_POLICY)}. The list shows where a namespace differs.
        </p>
      )}
      <p className="max-w-[80ch] pt-2 text-t3">
        Pass <code className="font-mono text-12 text-t2">"namespace"</code> in every request, with{' '}
        {isAdmin ? (
          <>
            a{' '}
            <NearLink href="/settings?section=keys" className="link">
              key
            </NearLink>
          </>
        ) : (
          'a key'
        )}{' '}
        that has access. Lock names are unique per namespace.
      </p>
      {changing && <PolicyDialog of={changingNow ?? changing} onClose={() => setChanging(null)} />}
      {isCreating && <CreateNamespaceDialog onClose={() => setCreating(false)} />}
      <ReadsLostNote reads={[{ data: namespaces, error }]} />
    </div>
  );
}

function NamespaceTableRow({
  namespace,
  outage,
  now,
  onChange,
}: {
  namespace: NamespaceRow;
  /** How the namespace's backend fails to serve; null: it serves. */
  outage: string | null;
  now: number;
  /** Null for a role that may not change policies. */
  onChange: (() => void) | null;
}) {
  const { name, backend, createdAt, locks, counters, held, waiting, policy } = namespace;
  const names = locks + counters;
  const own = policyBounds(policy).filter(({ isCustom }) => isCustom);
  const isSilent = outage !== null;
  const ink = isSilent ? 'text-t3' : 'text-t1';
  return (
    <tr>
      <td data-cell="main" className="font-mono">
        <NearLink href={`/?namespace=${encodeURIComponent(name)}`} className="row-link rounded-4">
          {name}
        </NearLink>
      </td>
      <td data-cell="backend" className="text-t2">
        <span className="flex flex-wrap items-center gap-x-1.5">
          {isSilent && <Icon name="question" size={14} className="text-unknown" />}
          <span>
            <span className="md:hidden">on </span>
            {backend}
          </span>
          {isSilent && <span className="text-12 whitespace-nowrap text-unknown">{outage}</span>}
        </span>
      </td>
      <td data-cell="wide">
        <ul aria-label={`Policy of ${name}`} className="parts text-12">
          {isFilling(names, policy.maxLocks) && (
            <li className="font-[550] text-contended">
              {names >= policy.maxLocks ? 'full' : 'nearly full'}: {exactCount(names)} of{' '}
              {exactCount(policy.maxLocks)} names
            </li>
          )}
          {own.length === 0 && <li className="text-t3">default policy</li>}
          {own.map(({ label }) => (
            <li key={label}>{label}</li>
          ))}
        </ul>
      </td>
      <td data-cell="count">
        <Count
          of={knownCount(locks, isSilent)}
          label={locks === 1 ? 'lock' : 'locks'}
          outage={outage}
          ink={ink}
        />
      </td>
      <td data-cell="count">
        <Count of={held} label="held" outage={outage} />
      </td>
      <td data-cell="count">
        <Count
          of={knownCount(waiting, isSilent)}
          label="waiting"
          outage={outage}
          ink={isSilent || policy.standbyExpected ? ink : 'font-[550] text-contended'}
        />
      </td>
      <td data-cell="made" className="text-12 text-t3">
        <span className="md:hidden">created </span>
        <Instant at={createdAt} now={now} />
      </td>
      <td data-cell="act">
        {onChange && (
          <Button size="small" aria-label={`Edit policy of ${name}`} onClick={onChange}>
            Policy…
          </Button>
        )}
      </td>
    </tr>
  );
}

function Count({
  of,
  label,
  outage,
  ink = 'text-t1',
}: {
  of: number | null;
  label: string;
  outage: string | null;
  ink?: string;
}) {
  if (of === null) {
    return (
      <span className="text-t3" title={`Unknown: backend ${outage ?? 'not responding'}`}>
        ?<span className="md:hidden"> {label}</span>
      </span>
    );
  }
  return (
    <span className={of === 0 ? 'text-t3' : ink} title={exactCount(of)}>
      {countText(of)}
      <span className="font-[450] text-t3 md:hidden"> {label}</span>
    </span>
  );
}
