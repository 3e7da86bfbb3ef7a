'use client';

import { type ReactNode, Suspense } from 'react';
import type { BackendHealth } from '@/server/contract/console/backend-health';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import type { Filling } from '@/server/contract/console/namespace-row';
import { Mark } from '../icons/mark';
import { SessionProvider, type SessionStart, useSession } from '../live/session';
import { ConsoleClient } from '../live/trpc';
import { AwayGuard } from '../navigation/away-guard';
import { NearLink } from '../navigation/near-link';
import { LookBackButton, PastBarSlot } from '../past/look-back';
import { UnansweredNotes } from '../ui/unanswered/unanswered-notes';
import { AccountMenu } from './account-menu';
import { AlertBell } from './alert-bell';
import { BackendHealthList } from './backend-health-list';
import { CapacityBanner, UnencryptedBanner, UnreadBanner } from './banners';
import { CommandButton } from './command/command-button';
import { NavRail } from './nav-rail';
import { SearchBox } from './search-box';
import { ShortcutKeys } from './shortcut-keys';
import { SkipLink } from './skip-link';

/** The frame around every page of the console. */
export function ConsoleShell({
  session,
  backends,
  guarantees,
  filling,
  commandKeys,
  children,
}: {
  session: SessionStart;
  backends: BackendHealth[];
  guarantees: GuaranteeRow[];
  filling: Filling | null;
  /** The shortcut that opens the menu “Go anywhere”, as it is written on the reader's keys. */
  commandKeys: string;
  children: ReactNode;
}) {
  return (
    <ConsoleClient>
      <SessionProvider start={session}>
        <SkipLink />
        <AwayGuard className="shell">
          <NavRail />
          <TopBar backends={backends} guarantees={guarantees} commandKeys={commandKeys} />
          <main id="main" tabIndex={-1} className="shell-main">
            <UnencryptedBanner />
            <CapacityBanner initial={filling} />
            <Suspense>
              <UnreadBanner initial={backends} />
              <PastBarSlot />
            </Suspense>
            {children}
            <UnansweredNotes />
          </main>
        </AwayGuard>
        <ShortcutKeys />
      </SessionProvider>
    </ConsoleClient>
  );
}

function TopBar({
  backends,
  guarantees,
  commandKeys,
}: {
  backends: BackendHealth[];
  guarantees: GuaranteeRow[];
  commandKeys: string;
}) {
  const { demo } = useSession();
  return (
    <header className="group/bar top-bar flex print:hidden min-w-0 items-center gap-4 max-md:gap-1.5 border-line border-b bg-s1 px-[var(--gutter)] [grid-area:top]">
      <NearLink
        href="/"
        aria-label="Lockyard home"
        className="shrink-0 md:hidden pointer-coarse:py-2.5 pointer-coarse:pr-3.5"
      >
        <Mark />
      </NearLink>
      <Suspense>
        <SearchBox />
      </Suspense>
      {/* On a phone the search has the whole bar while it is typed in. */}
      <div className="ml-auto flex items-center gap-4 max-md:gap-1.5 max-sm:group-has-[.search-field:focus]/bar:hidden">
        {demo && (
          <span className="rounded-5 bg-accbg px-2 py-0.5 text-12 text-acc max-sm:hidden">
            Demo
          </span>
        )}
        <Suspense>
          <LookBackButton />
        </Suspense>
        <BackendHealthList initial={backends} initialGuarantees={guarantees} />
        <AlertBell />
        <CommandButton keys={commandKeys} />
        <span aria-hidden="true" className="h-5 w-px bg-line max-md:hidden" />
        <AccountMenu />
      </div>
    </header>
  );
}
