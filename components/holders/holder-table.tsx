'use client';

import { useState } from 'react';
import type { ProcessRow, ServiceRow } from '@/server/contract/console/waits/holder-rows';
import { agoText, durationText, wholeSeconds } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { keyed } from '../format/keyed';
import { Icon } from '../icons/icon';
import { useAtBackend, useOutageText } from '../live/reading';
import { LivenessNote } from '../locks/lock/liveness-note';
import { LockLink } from '../locks/lock-link';
import { type Column, TableHead } from '../ui/table-head';
import { useMedia } from '../ui/use-media';
import { ExactName, VisibleText, WrappedName } from '../ui/visible-text';
import { DeadlockBadge } from '../waits/deadlock-badge';
import { BackendMark } from './backend-mark';
import { Blocking, OldestHold, Version } from './holder-cells';
import { ProcessPanel } from './process-panel';
import { ServiceLine } from './service-line';

const COLUMNS: Column[] = [
  { label: 'Service and process', className: 'holder-process' },
  { label: 'Evidence', className: 'holder-evidence' },
  { label: 'Host and pid', className: 'holder-place' },
  { label: 'Version', className: 'holder-version' },
  { label: 'Locks', isNumber: true, className: 'holder-number' },
  { label: 'Waits for', className: 'holder-wait' },
  { label: 'Total blocking time', isNumber: true, className: 'holder-blocking' },
  { label: 'Oldest hold', isNumber: true, className: 'holder-age' },
];

/** Screens without the host and version columns: a cell across all columns spans two fewer. */
const TWO_FEWER = '(min-width: 900px) and (max-width: 1279.98px)';

/** The processes by service, which can be folded; one at a time is open and shows its locks. */
export function HolderTable({
  rows,
  services,
  isFiltered,
  isCut,
  open,
  onOpen,
}: {
  rows: ProcessRow[];
  services: ServiceRow[];
  /** Only some rows are shown: the line of a service leaves out what its other processes do. */
  isFiltered: boolean;
  /** More processes may be waiting than there are rows. */
  isCut: boolean;
  /** The id of the process that is open. */
  open: string | null;
  onOpen: (id: string | null) => void;
}) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const toggle = (service: string) => {
    const next = new Set(folded);
    if (!next.delete(service)) next.add(service);
    setFolded(next);
  };
  const whole = new Map(isFiltered ? [] : services.map((each) => [each.service, each]));
  const shown = byService(rows);
  return (
    <div className="card list-in-card">
      <table className="list holder-list">
        <TableHead columns={COLUMNS} />
        {[...shown].map(([service, own]) => {
          const isFolded = folded.has(service);
          return (
            <tbody key={service}>
              <ServiceLine
                service={service}
                rows={own}
                all={whole.get(service) ?? null}
                isCut={isCut}
                isFolded={isFolded}
                onToggle={() => toggle(service)}
              />
              {!isFolded &&
                own.map((row) => (
                  <ProcessLine
                    key={row.id}
                    row={row}
                    isOpen={row.id === open}
                    onToggle={() => onOpen(row.id === open ? null : row.id)}
                  />
                ))}
            </tbody>
          );
        })}
      </table>
    </div>
  );
}

/** The rows of each service, in the order in which the services first occur. */
function byService(rows: readonly ProcessRow[]): Map<string, ProcessRow[]> {
  const found = new Map<string, ProcessRow[]>();
  for (const row of rows) {
    const own = found.get(row.service);
    if (own) own.push(row);
    else found.set(row.service, [row]);
  }
  return found;
}

function ProcessLine({
  row,
  isOpen,
  onToggle,
}: {
  row: ProcessRow;
  isOpen: boolean;
  onToggle: () => void;
}) {
  const title = processTitle(row);
  const panelId = `process-${row.id}`;
  const isNarrower = useMedia(TWO_FEWER, false);
  return (
    <>
      <tr data-selected={isOpen}>
        <td data-cell="main">
          <button
            type="button"
            className="holder-toggle"
            aria-expanded={isOpen}
            aria-controls={isOpen ? panelId : undefined}
            onClick={onToggle}
          >
            <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={14} />
            <WrappedName name={title} />
          </button>
        </td>
        <td className="text-12 text-t2">
          <Evidence row={row} />
        </td>
        <td className="holder-place text-12 text-t2">
          <Place row={row} />
        </td>
        <td className="holder-version text-12 text-t3">
          <Version text={row.version ? visibleText(row.version) : '–'} />
        </td>
        <td data-cell="act" data-number="true">
          {exactCount(row.holds)}
          <span className="text-t3 md:hidden"> {row.holds === 1 ? 'lock' : 'locks'}</span>
        </td>
        <td className="holder-wait text-12">
          <WaitsFor row={row} />
        </td>
        <td data-number="true">
          <Blocking row={row} />
        </td>
        <td data-number="true" className="max-md:hidden!">
          <OldestHold hold={row.oldest} />
        </td>
      </tr>
      {isOpen && (
        <tr id={panelId} className="holder-open">
          <td colSpan={isNarrower ? COLUMNS.length - 2 : COLUMNS.length}>
            <ProcessPanel id={row.id} title={title} />
          </td>
        </tr>
      )}
    </>
  );
}

/** What a process is called: its one owner, else its host and pid. */
function processTitle({ owners, ownerCount, host, pid }: ProcessRow): string {
  const [owner = ''] = owners;
  if (ownerCount <= 1 || !host) return owner;
  return pid ? `${host} pid ${pid}` : host;
}

/** The last renewal of a process, or the proof that it is dead. */
function Evidence({ row }: { row: ProcessRow }) {
  const { owners, ownerCount, holds, renewedAt, verdict, inDeadlock, silentBackends } = row;
  const now = useAtBackend(null, (at) => wholeSeconds(at));
  const outage = useOutageText(silentBackends);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2">
      {inDeadlock && <DeadlockBadge />}
      {silentBackends.length > 0 && (
        <span className="flex items-center gap-1 text-unknown">
          <Icon name="question" size={13} />
          {outage}
        </span>
      )}
      {verdict && verdict.kind !== null ? (
        <LivenessNote verdict={verdict} of={null} isBrief />
      ) : (
        <span className="text-t3">
          {holds === 0
            ? 'holds nothing'
            : renewedAt === null
              ? 'no evidence yet'
              : `renewed ${agoText(Math.max(0, now - renewedAt))}`}
        </span>
      )}
      {ownerCount > 1 && (
        <span className="text-t3" title={owners.map(visibleText).join(', ')}>
          {plural(ownerCount, 'owner')}
        </span>
      )}
    </div>
  );
}

/** A host with a longer name would take more than two lines; then it is cut. */
const LONG_HOST = 24;

/** Where a process runs, according to its holds. */
function Place({ row: { host, pid } }: { row: ProcessRow }) {
  if (!host && !pid) return <span className="text-t3 max-md:hidden">–</span>;
  return (
    <>
      {host && (
        <span className="inline-flex max-w-full min-w-0 align-bottom">
          {host.length > LONG_HOST ? <ExactName name={host} /> : <VisibleText text={host} />}
        </span>
      )}
      {pid && (
        <span className="whitespace-nowrap">
          {' '}
          <span className="text-t3">pid</span> <VisibleText text={pid} />
        </span>
      )}
    </>
  );
}

const waitKey = ({ namespace, name }: ProcessRow['waitsFor'][number]) => `${namespace} ${name}`;

function WaitsFor({ row: { waitsFor, waits } }: { row: ProcessRow }) {
  const now = useAtBackend(null, (at) => at);
  if (waits === 0) return <span className="text-t3 max-md:hidden">–</span>;
  return (
    <span className="flex min-w-0 flex-col">
      {keyed(waitsFor, waitKey).map(({ key, item: { namespace, name, backend, since } }) => (
        <span key={key} className="waited-for">
          <span className="shrink-0 text-t3 md:hidden">waits for</span>
          <BackendMark id={backend} />
          <LockLink namespace={namespace} name={name} mayWrap />
          <span className="waited-since">{durationText(now - since)}</span>
        </span>
      ))}
      {waits > waitsFor.length && (
        <span className="text-t3">and {exactCount(waits - waitsFor.length)} more</span>
      )}
    </span>
  );
}
