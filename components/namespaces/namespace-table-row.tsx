'use client';

import Link from 'next/link';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { isFilling } from '@/server/core/names/filling';
import { countText, exactCount } from '../format/counts';
import { Icon } from '../icons/icon';
import { Button } from '../ui/controls/button';
import { Instant } from '../ui/instant';
import { policyBounds } from './policy-bounds';

/** One namespace: where it lives, what it allows, how it is used. */
export function NamespaceTableRow({
  namespace,
  isSilent,
  now,
  onChange,
}: {
  namespace: NamespaceRow;
  /** Its backend does not answer. */
  isSilent: boolean;
  now: number;
  /** Null for a role that may not change policies. */
  onChange: (() => void) | null;
}) {
  const { name, backend, createdAt, locks, counters, held, waiting, policy, hasOwnPolicy } =
    namespace;
  const names = locks + counters;
  return (
    <tr>
      <td data-cell="main" className="font-mono">
        <Link href={`/?namespace=${encodeURIComponent(name)}`} className="row-link rounded-4">
          {name}
        </Link>
      </td>
      <td data-cell="backend" className="text-t2">
        <span className="flex items-center gap-1.5">
          {isSilent && <Icon name="question" size={14} className="text-unknown" />}
          <span className="md:hidden">on </span>
          {backend}
          {isSilent && <span className="text-12 text-unknown">silent</span>}
        </span>
      </td>
      <td data-cell="wide">
        <ul aria-label={`Policy of ${name}`} className="policy-bounds">
          {isFilling(names, policy.maxLocks) && (
            <li className="font-[550] text-contended">
              {names >= policy.maxLocks ? 'full' : 'nearly full'}: {exactCount(names)} of{' '}
              {exactCount(policy.maxLocks)} names
            </li>
          )}
          {!hasOwnPolicy && <li className="text-t2">default policy</li>}
          {policyBounds(policy).map(({ words, isOwn }) => (
            <li key={words} className={isOwn ? 'text-t1' : 'text-t3'}>
              {words}
            </li>
          ))}
        </ul>
      </td>
      <td data-cell="count">
        <Count of={locks} word="locks" />
      </td>
      <td data-cell="count">
        <Count of={held} word="held" />
      </td>
      <td data-cell="count">
        <Count of={waiting} word="waiting" ink="font-[550] text-contended" />
      </td>
      <td data-cell="made" className="text-12 text-t3">
        <span className="md:hidden">made </span>
        <Instant at={createdAt} now={now} />
      </td>
      <td data-cell="act">
        {onChange && (
          <Button size="small" aria-label={`Change the policy of ${name}`} onClick={onChange}>
            Policy…
          </Button>
        )}
      </td>
    </tr>
  );
}

function Count({ of, word, ink = 'text-t1' }: { of: number | null; word: string; ink?: string }) {
  if (of === null) {
    return (
      <span className="text-t3" title="Its backend does not answer">
        ?<span className="md:hidden"> {word}</span>
      </span>
    );
  }
  return (
    <span className={of === 0 ? 'text-t3' : ink} title={exactCount(of)}>
      {countText(of)}
      <span className="font-[450] text-t3 md:hidden"> {word}</span>
    </span>
  );
}
