import type { Metadata } from 'next';
import { NamespacesView } from '@/components/namespaces/namespaces-view';
import { openConsole, readOrNull } from '../../../console-api';

export const metadata: Metadata = { title: 'Namespaces' };

export default async function NamespacesPage() {
  const { api } = await openConsole();
  const [namespaces, backends] = await Promise.all([
    readOrNull(api.namespaces.list.query()),
    api.backends.list.query(),
  ]);
  return <NamespacesView initial={namespaces} initialBackends={backends} now={Date.now()} />;
}
