import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { readRange } from '@/components/charts/chart-range';
import { LockView } from '@/components/locks/lock/lock-view';
import { UnreadLock } from '@/components/unread/unread-lock';
import { lockRef } from '@/server/contract/console/console-inputs';
import { visibleText } from '@/server/core/format/visible-text';
import { lockPath } from '@/server/core/paths/console-path';
import { openConsole, readOrNull, unreadOr } from '../../../../console-api';
import { pathNamesOf, type SearchParams, searchParamsOf } from '../../../../page-request';
import { pastPage } from '../../../../past-page';

interface Props {
  params: Promise<{ namespace: string; name: string }>;
  searchParams: SearchParams;
}

async function refOf({ params }: Pick<Props, 'params'>) {
  const ref = lockRef.safeParse(await pathNamesOf(params));
  return ref.success ? ref.data : null;
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const ref = await refOf(props);
  return { title: ref ? visibleText(ref.name) : 'Lock not found' };
}

export default async function LockPage(props: Props) {
  const { api } = await openConsole();
  const ref = await refOf(props);
  if (!ref) notFound();
  const params = await searchParamsOf(props.searchParams);
  const path = lockPath(ref.namespace, ref.name);
  const past = await pastPage(params, path, async (at) => {
    const detail = await api.locks.detail.query({ ...ref, at });
    return <LockView key={at} initial={detail} events={null} insight={null} />;
  });
  if (past) return past;
  const range = readRange(params);
  const [detail, events, insight] = await Promise.all([
    api.locks.detail.query(ref).catch(unreadOr),
    readOrNull(api.locks.events.query({ ...ref, limit: 50 })),
    readOrNull(api.insights.lock.query({ ...ref, range })),
  ]);
  if ('problem' in detail) return <UnreadLock key={path} lock={ref} problem={detail.problem} />;
  return <LockView key={detail.row.id} initial={detail} events={events} insight={insight} />;
}
