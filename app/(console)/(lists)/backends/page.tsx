import type { Metadata } from 'next';
import { BackendsView } from '@/components/backends/backends-view';
import { openConsole, readOrNull } from '../../../console-api';

export const metadata: Metadata = { title: 'Backends' };

export default async function BackendsPage() {
  const { api } = await openConsole();
  const [backends, guarantees, namespaces, courses] = await Promise.all([
    api.backends.list.query(),
    api.backends.guarantees.query(),
    readOrNull(api.namespaces.list.query()),
    readOrNull(api.backends.courses.query()),
  ]);
  return (
    <BackendsView
      initial={backends}
      initialGuarantees={guarantees}
      initialNamespaces={namespaces}
      initialCourses={courses}
    />
  );
}
