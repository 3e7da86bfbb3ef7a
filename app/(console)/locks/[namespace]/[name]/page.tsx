import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { readRange } from '@/components/charts/chart-range';
import { nameFromPath } from '@/components/format/lock-path';
import { visibleText } from '@/components/format/visible-name';
import { LockView } from '@/components/locks/lock/lock-view';
import { lockRef } from '@/server/contract/console/console-inputs';
import { notFoundOr } from '../../../../not-found-or';
import { openConsole } from '../../../../open-console';
import { readOrNull } from '../../../../read-or-null';
import { type SearchParams, searchParamsOf } from '../../../../search-params';

interface Props {
  params: Promise<{ namespace: string; name: string }>;
  searchParams: SearchParams;
}

async function refOf({ params }: Pick<Props, 'params'>) {
  const { namespace, name } = await params;
  const ref = lockRef.safeParse({ namespace: nameFromPath(namespace), name: nameFromPath(name) });
  return ref.success ? ref.data : null;
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const ref = await refOf(props);
  return { title: ref ? visibleText(ref.name) : 'No such lock' };
}

export default async function LockPage(props: Props) {
  const { api } = await openConsole();
  const ref = await refOf(props);
  if (!ref) notFound();
  const range = readRange(await searchParamsOf(props.searchParams));
  const [detail, events, insight] = await Promise.all([
    api.locks.detail.query(ref).catch(notFoundOr),
    readOrNull(api.locks.events.query({ ...ref, limit: 50 })),
    readOrNull(api.insights.lock.query({ ...ref, range })),
  ]);
  return <LockView key={detail.row.id} initial={detail} events={events} insight={insight} />;
}
