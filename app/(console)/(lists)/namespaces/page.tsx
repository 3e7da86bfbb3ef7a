import type { Metadata } from 'next';
import { NamespacesView } from '@/components/namespaces/namespaces-view';
import { openConsole } from '../../../open-console';
import { readOrNull } from '../../../read-or-null';

export const metadata: Metadata = { title: 'Namespaces' };

export default async function NamespacesPage() {
  const { api } = await openConsole();
  const [namespaces, backends] = await Promise.all([
    readOrNull(api.namespaces.list.query()),
    api.backends.list.query(),
  ]);
  return <NamespacesView initial={namespaces} initialBackends={backends} now={Date.now()} />;
}
