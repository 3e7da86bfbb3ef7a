import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { CHANGES_SHOWN } from '@/components/counters/counter-labels';
import { CounterView } from '@/components/counters/counter-view';
import { visibleText } from '@/components/format/visible-name';
import { counterRef } from '@/server/contract/console/counter-inputs';
import { notFoundOr, openConsole, readOrNull } from '../../../../console-api';
import { pathNamesOf } from '../../../../page-request';

interface Props {
  params: Promise<{ namespace: string; name: string }>;
}

async function refOf({ params }: Props) {
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
  const [detail, moves] = await Promise.all([
    api.counters.detail.query(ref).catch(notFoundOr),
    readOrNull(api.counters.moves.query({ ...ref, limit: CHANGES_SHOWN })),
  ]);
  return <CounterView key={detail.row.id} initial={detail} moves={moves} />;
}
