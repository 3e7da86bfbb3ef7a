'use client';

import { type ReactNode, useEffect } from 'react';
import { type BackendHealth, outagesOf } from '@/server/contract/console/backend-health';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import { runningDuration } from '@/server/core/format/durations';
import { AgedReading, Silence } from '../backends/aged-reading';
import { latencyText } from '../format/durations';
import { Icon } from '../icons/icon';
import { reportBroken } from '../navigation/away';
import { NearLink } from '../navigation/near-link';
import { useBackendsHealth, useGuarantees } from './backend-queries';
import { isClosed, isHealthy, pausedForMs, sortBySeverity } from './sort-by-severity';

/** As many as the top bar has room for. */
const SHOWN_MAX = 4;

/** The health of the backends in the top bar: those with a problem first. */
export function BackendHealthList({
  initial,
  initialGuarantees,
}: {
  initial: BackendHealth[];
  initialGuarantees: GuaranteeRow[];
}) {
  const { data, dataUpdatedAt, isError, failureCount } = useBackendsHealth(initial);
  const isBroken = isError || failureCount > 0;
  useEffect(() => (isBroken ? reportBroken() : undefined), [isBroken]);
  const { data: guarantees } = useGuarantees(initialGuarantees);
  const sorted = sortBySeverity(data, guarantees);
  const troubled = sorted.filter((backend) => isError || !isHealthy(backend, guarantees));
  return (
    <AgedReading updatedAt={dataUpdatedAt}>
      <ul aria-label="Backends" className="backend-health flex items-center gap-4">
        {sorted.slice(0, SHOWN_MAX).map((backend, place) => (
          <li key={backend.id}>
            <BackendHealthLink
              backend={backend}
              isStale={isError}
              isClosed={isClosed(backend, guarantees)}
              others={place === 0 ? troubled.length - 1 : 0}
            />
          </li>
        ))}
        {sorted.length > SHOWN_MAX && (
          <li>
            <NearLink href="/backends" className="text-12 text-t2 hover:text-t1">
              +{sorted.length - SHOWN_MAX} more
            </NearLink>
          </li>
        )}
      </ul>
    </AgedReading>
  );
}

function BackendHealthLink({
  backend,
  isStale,
  isClosed,
  others,
}: {
  backend: BackendHealth;
  isStale: boolean;
  isClosed: boolean;
  /** How many more have a problem, which a phone does not show one by one. */
  others: number;
}) {
  const { id, reachable } = backend;
  const isKnown = reachable && !isStale;
  const isGrantingPaused = isClosed || pausedForMs(backend) > 0;
  const isGranting = isKnown && !isGrantingPaused;
  return (
    <NearLink
      href="/backends"
      data-healthy={isGranting}
      className="flex items-center gap-1.5 rounded-4 text-12 whitespace-nowrap"
    >
      <Icon
        name={isGranting ? 'check-circle' : isKnown ? 'alert-octagon' : 'question'}
        size={15}
        className={isGranting ? 'text-acc' : isKnown ? 'text-dangertext' : 'text-unknown'}
      />
      <span className="font-[550]">{id}</span>
      {/* On a phone there is no room for it beside the alerts; it can still be read aloud. */}
      <span
        className={`max-sm:sr-only ${isKnown && isGrantingPaused ? 'text-dangertext' : 'text-t2'}`}
      >
        {statusLabel(backend, isStale, isClosed)}
      </span>
      {others > 0 && (
        <span className="text-t2 md:hidden">
          +{others}
          <span className="sr-only"> more with a problem</span>
        </span>
      )}
    </NearLink>
  );
}

function statusLabel(backend: BackendHealth, isStale: boolean, isClosed: boolean): ReactNode {
  const { latencyMs, silentForMs } = backend;
  const [outage] = outagesOf(backend);
  if (isStale) return 'unknown';
  if (outage === 'disabled on this server') return 'disabled here';
  if (outage === 'rejecting requests') return 'rejects requests';
  if (outage) {
    return (
      <>
        no response <Silence ms={silentForMs} />
      </>
    );
  }
  if (isClosed) return 'grants disabled';
  const pausedMs = pausedForMs(backend);
  if (pausedMs > 0) return `data loss, grants resume in ${runningDuration(pausedMs)}`;
  return latencyMs === null ? 'healthy' : latencyText(latencyMs);
}
