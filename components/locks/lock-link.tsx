'use client';

import Link from 'next/link';
import { lockPath } from '@/server/core/paths/console-path';
import { pastHref } from '../past/past-address';
import { usePastAt } from '../past/past-at';
import { ExactName, WrappedName } from '../ui/visible-text';

/** A lock's name, whole, as a link to its page. */
export function LockLink({
  namespace,
  name,
  className = '',
  mayWrap = false,
}: {
  namespace: string;
  name: string;
  className?: string;
  /** The name may take two lines before it is cut. */
  mayWrap?: boolean;
}) {
  return (
    <Link
      href={pastHref(lockPath(namespace, name), usePastAt())}
      prefetch={false}
      className={`link item-link ${className}`}
    >
      {mayWrap ? <WrappedName name={name} /> : <ExactName name={name} />}
    </Link>
  );
}
