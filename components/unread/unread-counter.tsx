'use client';

import { useQuery } from '@tanstack/react-query';
import { notFound } from 'next/navigation';
import { CounterView } from '../counters/counter-view';
import { problemOf } from '../live/problem';
import { useTRPC } from '../live/trpc';
import { UNTIL_READ, UnreadSubject } from './unread-subject';

/** The page of a counter that could not be read for the first paint: says why, until it is read. */
export function UnreadCounter({
  counter,
  problem,
}: {
  counter: { namespace: string; name: string };
  problem: string;
}) {
  const { data, error } = useQuery(useTRPC().counters.detail.queryOptions(counter, UNTIL_READ));
  if (error && problemOf(error).reason === 'NOT_FOUND') notFound();
  if (data) return <CounterView initial={data} moves={null} />;
  return <UnreadSubject name={counter.name} problem={problem} />;
}
