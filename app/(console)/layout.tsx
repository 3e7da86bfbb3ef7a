import type { ReactNode } from 'react';
import { ConsoleShell } from '@/components/shell/console-shell';
import { openConsole } from '../open-console';

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const { caller, user, demo } = await openConsole();
  const [backends, guarantees] = await Promise.all([
    caller.backends.list(),
    caller.backends.guarantees(),
  ]);
  return (
    <ConsoleShell account={user} demo={demo} backends={backends} guarantees={guarantees}>
      {children}
    </ConsoleShell>
  );
}
