'use client';

import Link from 'next/link';
import { useState } from 'react';
import type { AuditEntry } from '@/server/contract/console/audit-entry';
import { visibleText } from '@/server/core/format/visible-text';
import { counterPath, lockPath } from '@/server/core/paths/console-path';
import { Icon } from '../icons/icon';
import { pastHref } from '../past/past-address';
import { Instant } from '../ui/instant';
import { ExactName, UnbrokenNames, VisibleText } from '../ui/visible-text';
import { AuditDetails } from './audit-details';
import { entryLabel, formatFacts, OUTCOMES } from './audit-labels';

const ACTOR_KIND_LABELS = { user: '', cli: 'CLI', system: 'system' } as const;

/** The facts of the result that differ from those before. */
function changedFacts({ seen, result }: AuditEntry): Record<string, unknown> {
  return Object.fromEntries(Object.entries(result).filter(([key, value]) => seen[key] !== value));
}

const none = <span className="text-t3 max-md:hidden">–</span>;

/** One action: actor, action, target, reason, what it changed, and its outcome. */
export function AuditRow({ entry, now }: { entry: AuditEntry; now: number }) {
  const { label, icon, ink, meaning } = OUTCOMES[entry.outcome];
  const before = formatFacts(entry.seen);
  const after = formatFacts(changedFacts(entry));
  const actorKind = ACTOR_KIND_LABELS[entry.actorKind];
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <tr data-open={isOpen}>
        <td data-cell="when" className="text-12 text-t3">
          <Instant at={entry.at} now={Math.max(now, entry.at)} />
        </td>
        <td data-cell="who">
          <span
            className="block truncate md:font-[550]"
            title={visibleText(`${entry.actor}, from ${entry.address}`)}
          >
            <VisibleText text={entry.actor} />
            {actorKind && <span className="font-[450] text-12 text-t3"> {actorKind}</span>}
          </span>
        </td>
        <td data-cell="what">
          <button
            type="button"
            className="audit-open"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={13} className="text-t3" />
            {entryLabel(entry)}
          </button>
        </td>
        <td data-cell="subject">
          <Target entry={entry} />
        </td>
        <td data-cell="why" className="text-t2">
          {entry.reason ? (
            <>
              “<VisibleText text={entry.reason} />”
            </>
          ) : (
            none
          )}
        </td>
        <td data-cell="facts" className="text-12 text-t2">
          {before || after ? (
            <>
              <UnbrokenNames text={before} />
              {before && after && <span className="text-t3"> → </span>}
              <UnbrokenNames text={after} />
            </>
          ) : (
            none
          )}
        </td>
        <td data-cell="outcome">
          <span className={`inline-flex items-center gap-1.5 text-12 ${ink}`} title={meaning}>
            <Icon name={icon} size={14} />
            {label}
          </span>
        </td>
      </tr>
      {isOpen && (
        <tr className="audit-opened">
          <td colSpan={7}>
            <AuditDetails entry={entry} />
          </td>
        </tr>
      )}
    </>
  );
}

function Target({ entry }: { entry: AuditEntry }) {
  const { act, namespace, subject, actor, at } = entry;
  if (subject === actor) return none;
  const path = act.startsWith('counter.') ? counterPath : lockPath;
  if (!/^(lock|counter)\./.test(act) || namespace === null) {
    return subject === '' ? null : <ExactName name={subject} className="text-12" />;
  }
  return (
    <>
      <Link href={path(namespace, subject)} prefetch={false} className="item-link">
        <ExactName name={subject} className="text-12" />
      </Link>
      <span className="parts text-12 text-t3">
        <span>{namespace}</span>
        <span>
          <Link
            href={pastHref(path(namespace, subject), at - 1)}
            prefetch={false}
            className="link rounded-4"
            title="Show the state just before this action"
          >
            state before
          </Link>
        </span>
      </span>
    </>
  );
}
