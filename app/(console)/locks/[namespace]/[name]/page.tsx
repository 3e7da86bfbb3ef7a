import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { nameFromPath } from '@/components/format/lock-path';
import { LockView } from '@/components/lock/lock-view';
import { lockRef } from '@/server/domain/console-inputs';
import { notFoundOr } from '../../../../not-found-or';
import { openConsole } from '../../../../open-console';
import { readOrNull } from '../../../../read-or-null';

interface Props {
  params: Promise<{ namespace: string; name: string }>;
}

async function refOf({ params }: Props) {
  const { namespace, name } = await params;
  const ref = lockRef.safeParse({ namespace: nameFromPath(namespace), name: nameFromPath(name) });
  return ref.success ? ref.data : null;
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const ref = await refOf(props);
  return { title: ref?.name ?? 'No such lock' };
}

export default async function LockPage(props: Props) {
  const { caller } = await openConsole();
  const ref = await refOf(props);
  if (!ref) notFound();
  const [detail, events] = await Promise.all([
    caller.locks.detail(ref).catch(notFoundOr),
    readOrNull(caller.locks.events({ ...ref, limit: 50 })),
  ]);
  return <LockView key={detail.row.id} initial={detail} events={events} />;
}
