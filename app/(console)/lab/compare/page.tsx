import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { CompareView } from '@/components/lab/compare/compare-view';
import { notFoundOr, openConsole } from '../../../console-api';
import { type SearchParams, searchParamsOf } from '../../../page-request';

export const metadata: Metadata = { title: 'Compare runs' };

export default async function ComparePage({ searchParams }: { searchParams: SearchParams }) {
  const { api } = await openConsole();
  const query = await searchParamsOf(searchParams);
  const [a, b] = ['a', 'b'].map((name) => query.get(name) ?? '');
  if (![a, b].every((id) => /^[A-Za-z0-9]{1,24}$/.test(id ?? ''))) notFound();
  const [first, second] = await Promise.all(
    [a ?? '', b ?? ''].map((id) => api.lab.run.query({ id }).catch(notFoundOr)),
  );
  if (!first || !second) notFound();
  return <CompareView a={first} b={second} />;
}
