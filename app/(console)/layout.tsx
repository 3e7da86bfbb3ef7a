import type { ReactNode } from 'react';
import { ConsoleShell } from '@/components/shell/console-shell';
import { openConsole } from '../console-api';

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { api, user, demo, unencrypted, retentionDays, traceUrl } = await openConsole();
  const [backends, guarantees] = await Promise.all([
    api.backends.list.query(),
    api.backends.guarantees.query(),
  ]);
  return (
    <ConsoleShell
      account={user}
      demo={demo}
      unencrypted={unencrypted}
      retentionDays={retentionDays}
      traceUrl={traceUrl}
      backends={backends}
      guarantees={guarantees}
    >
      {children}
    </ConsoleShell>
  );
}
