import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { CHANGES_SHOWN } from '@/components/counters/counter-labels';
import { CounterView } from '@/components/counters/counter-view';
import { nameFromPath } from '@/components/format/lock-path';
import { visibleText } from '@/components/format/visible-name';
import { counterRef } from '@/server/contract/counter/inputs';
import { notFoundOr } from '../../../../not-found-or';
import { openConsole } from '../../../../open-console';
import { readOrNull } from '../../../../read-or-null';

interface Props {
  params: Promise<{ namespace: string; name: string }>;
}

async function refOf({ params }: Props) {
  const { namespace, name } = await params;
  const ref = counterRef.safeParse({
    namespace: nameFromPath(namespace),
    name: nameFromPath(name),
  });
  return ref.success ? ref.data : null;
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const ref = await refOf(props);
  return { title: ref ? visibleText(ref.name) : 'No such counter' };
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
