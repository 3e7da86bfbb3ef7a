'use client';

import Link from 'next/link';
import { exactCount } from '@/server/core/format/numbers';
import { lockPath } from '@/server/core/paths/console-path';
import { Icon, type IconName } from '../../../icons/icon';
import { NearLink } from '../../../navigation/near-link';
import { pastHref } from '../../../past/past-address';
import { usePastAt } from '../../../past/past-at';
import { type ListWalk, useListWalk } from './use-list-walk';

/**
 * On a phone, where there is no list beside the lock: links to the list and its next locks.
 */
export function ListSteps({ namespace, name }: { namespace: string; name: string }) {
  const walk = useListWalk(namespace, name);
  if (!walk) return null;
  return (
    <nav aria-label="List" className="-mt-3 flex items-center md:hidden">
      <NearLink
        href={walk.href}
        className="flex min-h-11 min-w-0 items-center gap-1 rounded-4 pr-3 text-acc"
      >
        <Icon name="chevron-left" size={16} className="shrink-0" />
        <span className="truncate">{walk.title}</span>
      </NearLink>
      <span className="ml-auto pr-1 text-12 whitespace-nowrap text-t2">
        {exactCount(walk.place + 1)} of {exactCount(walk.matching)}
      </span>
      <Step to={walk.previous} icon="arrow-up" label="Previous lock" />
      <Step to={walk.next} icon="arrow-down" label="Next lock" />
    </nav>
  );
}

const STEP = 'flex size-11 shrink-0 items-center justify-center rounded-6';

function Step({ to, icon, label }: { to: ListWalk['next']; icon: IconName; label: string }) {
  const at = usePastAt();
  if (!to) {
    return (
      <span aria-hidden="true" className={`${STEP} text-line2`}>
        <Icon name={icon} size={18} />
      </span>
    );
  }
  return (
    <Link
      href={pastHref(lockPath(to.namespace, to.name), at)}
      replace
      prefetch={false}
      aria-label={label}
      className={`${STEP} text-t1`}
    >
      <Icon name={icon} size={18} />
    </Link>
  );
}
