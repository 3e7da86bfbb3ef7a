import type { ReactNode } from 'react';
import { ConsoleShell } from '@/components/shell/console-shell';
import { openConsole } from '../open-console';

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { caller, user, demo } = await openConsole();
  return (
    <ConsoleShell account={user} demo={demo} backends={await caller.backends.list()}>
      {children}
    </ConsoleShell>
  );
}
