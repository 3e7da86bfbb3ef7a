'use client';

import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '../live/trpc';
import { LockView } from '../locks/lock/lock-view';
import { UNTIL_READ, UnreadSubject } from './unread-subject';

/** The page of a lock that could not be read for the first paint: says why, until it is read. */
export function UnreadLock({
  lock,
  problem,
}: {
  lock: { namespace: string; name: string };
  problem: string;
}) {
  const { data } = useQuery(useTRPC().locks.detail.queryOptions(lock, UNTIL_READ));
  if (data) return <LockView initial={data} events={null} insight={null} />;
  return <UnreadSubject name={lock.name} problem={problem} />;
}
