import type { Metadata } from 'next';
import { nameFromPath } from '@/components/format/lock-path';
import { visibleText } from '@/components/format/visible-name';
import { NAMES_PER_PAGE } from '@/components/shards/names-per-page';
import { ShardsView } from '@/components/shards/shards-view';
import { notFoundOr } from '../../../not-found-or';
import { openConsole } from '../../../open-console';

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
    .query({ backend: backend.slice(0, 32), limit: NAMES_PER_PAGE })
    .catch(notFoundOr);
  const namespaces = await api.namespaces.list.query().catch(() => []);
  const spaces = namespaces.filter((space) => space.backend === backend).map(({ name }) => name);
  return <ShardsView key={backend} initial={initial} spaces={spaces} />;
}
