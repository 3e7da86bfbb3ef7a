import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { CHANGES_SHOWN } from '@/components/counters/counter-labels';
import { CounterView } from '@/components/counters/counter-view';
import { UnreadCounter } from '@/components/unread/unread-counter';
import { counterRef } from '@/server/contract/console/counter-inputs';
import { visibleText } from '@/server/core/format/visible-text';
import { counterPath } from '@/server/core/paths/console-path';
import { openConsole, readOrNull, unreadOr } from '../../../../console-api';
import { pathNamesOf, type SearchParams, searchParamsOf } from '../../../../page-request';
import { pastPage } from '../../../../past-page';

interface Props {
  params: Promise<{ namespace: string; name: string }>;
  searchParams: SearchParams;
}

async function refOf({ params }: Pick<Props, 'params'>) {
  const ref = counterRef.safeParse(await pathNamesOf(params));
  return ref.success ? ref.data : null;
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const ref = await refOf(props);
  return { title: ref ? visibleText(ref.name) : 'Counter not found' };
}

export default async function CounterPage(props: Props) {
  const { api } = await openConsole();
  const ref = await refOf(props);
  if (!ref) notFound();
  const search = await searchParamsOf(props.searchParams);
  const path = counterPath(ref.namespace, ref.name);
  const past = await pastPage(search, path, async (at) => {
    const detail = await api.counters.detail.query({ ...ref, at });
    return <CounterView key={at} initial={detail} moves={null} />;
  });
  if (past) return past;
  const [detail, moves] = await Promise.all([
    api.counters.detail.query(ref).catch(unreadOr),
    readOrNull(api.counters.moves.query({ ...ref, limit: CHANGES_SHOWN })),
  ]);
  if ('problem' in detail) {
    return <UnreadCounter key={path} counter={ref} problem={detail.problem} />;
  }
  return <CounterView key={detail.row.id} initial={detail} moves={moves} />;
}
