import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { ShardsView } from '@/components/shards/shards-view';
import { visibleText } from '@/server/core/format/visible-text';
import { nameFromPath } from '@/server/core/paths/console-path';
import { notFoundOr, openConsole, readOrNull } from '../../../console-api';

interface Props {
  params: Promise<{ id: string }>;
}

const idOf = async ({ params }: Props) => nameFromPath((await params).id) ?? '';

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: `Shards of ${visibleText(await idOf(props))}` };
}

export default async function ShardsPage(props: Props) {
  const { api } = await openConsole();
  const backend = await idOf(props);
  const initial = await api.backends.shards
    .query({ backend: backend.slice(0, 32) })
    .catch(async (error) => {
      const backends = await api.backends.list.query();
      const found = backends.find(({ id }) => id === backend);
      // A backend that is not sharded has no page of its own.
      if (found && !found.shards) redirect(`/backends#backend-${encodeURIComponent(backend)}`);
      return notFoundOr(error);
    });
  const namespaces = await readOrNull(api.namespaces.list.query());
  return <ShardsView key={backend} initial={initial} initialNamespaces={namespaces} />;
}
