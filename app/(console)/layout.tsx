import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { commandKeys } from '@/components/shell/command/command-keys';
import { ConsoleShell } from '@/components/shell/console-shell';
import { openConsole } from '../console-api';

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { api, user, demo, unencrypted, retentionDays, traceUrl } = await openConsole();
  const [backends, guarantees, filling] = await Promise.all([
    api.backends.list.query(),
    api.backends.guarantees.query(),
    api.namespaces.filling.query(),
  ]);
  const userAgent = (await headers()).get('user-agent') ?? '';
  return (
    <ConsoleShell
      session={{ account: user, demo, unencrypted, retentionDays, traceUrl }}
      backends={backends}
      guarantees={guarantees}
      filling={filling}
      commandKeys={commandKeys(userAgent)}
    >
      {children}
    </ConsoleShell>
  );
}
