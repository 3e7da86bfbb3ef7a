'use client';

import Link from 'next/link';
import type { AuditEntry } from '@/server/contract/console/lock-row';
import { counterPath, lockPath } from '../format/lock-path';
import { visibleText } from '../format/visible-name';
import { Icon } from '../icons/icon';
import { ExactName } from '../ui/exact-name';
import { Instant } from '../ui/instant';
import { VisibleText } from '../ui/visible-text';
import { actionLabel, formatFacts, OUTCOMES } from './audit-labels';

const ACTOR_KIND_LABELS = { user: '', cli: 'command line', system: 'by itself' } as const;

/** What the result says beyond what was seen. */
function changedFacts({ seen, result }: AuditEntry): Record<string, unknown> {
  return Object.fromEntries(Object.entries(result).filter(([key, value]) => seen[key] !== value));
}

/** One act: who, what, why, from what to what. */
export function AuditRow({ entry, now }: { entry: AuditEntry; now: number }) {
  const { word, icon, ink, meaning } = OUTCOMES[entry.outcome];
  const seen = formatFacts(entry.seen);
  const result = formatFacts(changedFacts(entry));
  return (
    <tr>
      <td data-cell="when" className="text-12 text-t3">
        <Instant at={entry.at} now={Math.max(now, entry.at)} />
      </td>
      <td data-cell="who">
        <span
          className="block truncate md:font-[550]"
          title={visibleText(`${entry.actor}, from ${entry.address}`)}
        >
          <VisibleText text={entry.actor} />
        </span>
        {ACTOR_KIND_LABELS[entry.actorKind] && (
          <span className="block text-12 text-t3">{ACTOR_KIND_LABELS[entry.actorKind]}</span>
        )}
      </td>
      <td data-cell="what">{actionLabel(entry.act)}</td>
      <td data-cell="subject">
        <Target entry={entry} />
      </td>
      <td data-cell="why" className="text-t2">
        {entry.reason ? (
          <>
            “<VisibleText text={entry.reason} />”
          </>
        ) : (
          <span className="text-t3 max-md:hidden">–</span>
        )}
      </td>
      <td data-cell="facts" className="text-12 text-t2">
        {seen || result ? (
          <>
            {seen}
            {seen && result && <span className="text-t3"> → </span>}
            {result}
          </>
        ) : (
          <span className="text-t3 max-md:hidden">–</span>
        )}
      </td>
      <td data-cell="outcome">
        <span className={`inline-flex items-center gap-1.5 text-12 ${ink}`} title={meaning}>
          <Icon name={icon} size={14} />
          {word}
        </span>
      </td>
    </tr>
  );
}

function Target({ entry }: { entry: AuditEntry }) {
  const { act, namespace, subject, actor } = entry;
  if (subject === actor) return <span className="text-t3 max-md:hidden">–</span>;
  const path = act.startsWith('counter.') ? counterPath : lockPath;
  if (!/^(lock|counter)\./.test(act) || namespace === null) {
    return subject === '' ? null : <ExactName name={subject} className="text-12" />;
  }
  return (
    <>
      <Link href={path(namespace, subject)} prefetch={false} className="flex min-w-0 rounded-4">
        <ExactName name={subject} className="text-12" />
      </Link>
      <span className="block truncate text-12 text-t3">{namespace}</span>
    </>
  );
}
