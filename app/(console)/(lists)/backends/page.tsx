import type { Metadata } from 'next';
import { BackendsView } from '@/components/backends/backends-view';
import { openConsole } from '../../../open-console';
import { readOrNull } from '../../../read-or-null';

export const metadata: Metadata = { title: 'Backends' };

export default async function BackendsPage() {
  const { api } = await openConsole();
  const [backends, guarantees, namespaces] = await Promise.all([
    api.backends.list.query(),
    api.backends.guarantees.query(),
    readOrNull(api.namespaces.list.query()),
  ]);
  return (
    <BackendsView
      initial={backends}
      initialGuarantees={guarantees}
      initialNamespaces={namespaces}
    />
  );
}
