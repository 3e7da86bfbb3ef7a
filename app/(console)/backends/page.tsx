import type { Metadata } from 'next';
import { BackendsView } from '@/components/backends/backends-view';
import { openConsole } from '../../open-console';
import { readOrNull } from '../../read-or-null';

export const metadata: Metadata = { title: 'Backends' };

export default async function BackendsPage() {
  const { caller } = await openConsole();
  const [backends, guarantees, namespaces] = await Promise.all([
    caller.backends.list(),
    caller.backends.guarantees(),
    readOrNull(caller.namespaces.list()),
  ]);
  return (
    <BackendsView
      initial={backends}
      initialGuarantees={guarantees}
      initialNamespaces={namespaces}
    />
  );
}
