'use client';

import dynamic from 'next/dynamic';
import { usePathname } from 'next/navigation';
import { type MouseEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { LockDetail, LockPage, LockRow } from '@/server/contract/console/lock-row';
import { lockPath } from '@/server/core/paths/console-path';
import type { LinkState } from '../../live/use-live';
import { canOpenKnown, isListHref, reportOpensKnown } from '../../navigation/away';
import { LatePart, loadUntilThere } from '../../navigation/late-part';
import { useOpenPage } from '../../navigation/use-open-page';
import { pastHref } from '../../past/past-address';
import { usePastAt } from '../../past/past-at';
import { knownDetail } from './known-detail';

const loadLockView = () => import('../lock/lock-view').then((all) => all.LockView);
const LockView = dynamic(() => loadUntilThere(loadLockView), { loading: () => <LatePart /> });

/** When the code of a lock's page is loaded ahead, after the list is live. */
const LOAD_AFTER_MS = 5_000;

/** A lock's page that was opened from its row, as old as the list that it was in. */
interface OpenedLock {
  path: string;
  detail: LockDetail;
  receivedAt: number | null;
}

/**
 * Opens a lock's page. While the server does not respond, the browser would leave the console for
 * its own error page; so the lock's page is then shown from its row, and continues automatically
 * once the server is back.
 */
export function useKnownLock(
  page: LockPage,
  receivedAt: number | null,
  link: LinkState,
): {
  /** The page that was opened from its row, in place of the list; null if none was. */
  known: ReactNode;
  onOpen: (row: LockRow) => void;
  /** False: the server responds, so the page must be opened like any other. */
  onOpenKnown: (row: LockRow) => boolean;
} {
  const open = useOpenPage();
  const at = usePastAt();
  const pathname = usePathname();
  const [opened, setOpened] = useState<OpenedLock | null>(null);
  const isLive = link === 'live';
  useEffect(() => {
    if (!isLive) return;
    const timer = setTimeout(() => {
      loadLockView().then(reportOpensKnown, () => undefined);
    }, LOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isLive]);
  const latest = useRef({ page, receivedAt, isLive });
  useEffect(() => {
    latest.current = { page, receivedAt, isLive };
  });
  const onOpenKnown = useCallback((row: LockRow) => {
    const { page, receivedAt, isLive } = latest.current;
    if (isLive || !canOpenKnown()) return false;
    const path = lockPath(row.namespace, row.name);
    setOpened({ path, detail: knownDetail(row, page), receivedAt });
    window.history.pushState(null, '', path);
    return true;
  }, []);
  const onOpen = useCallback(
    (row: LockRow) => {
      if (onOpenKnown(row)) return;
      open(pastHref(lockPath(row.namespace, row.name), at));
    },
    [onOpenKnown, open, at],
  );
  const isShown = opened !== null && isSamePath(pathname, opened.path);
  return {
    known: isShown && (
      <BackToList>
        <LockView
          initial={opened.detail}
          initialAt={opened.receivedAt}
          events={null}
          insight={null}
        />
      </BackToList>
    ),
    onOpen,
    onOpenKnown,
  };
}

/** Links to the list show it immediately: it is still there, behind the page opened in this way. */
function BackToList({ children }: { children: ReactNode }) {
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const href = link?.getAttribute('href') ?? '';
    if (!isListHref(href) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    window.history.pushState(null, '', href);
  };
  return (
    <div className="contents" data-list-behind onClickCapture={onClick}>
      {children}
    </div>
  );
}

/** Browsers encode some characters of a path differently. */
function isSamePath(pathname: string, path: string): boolean {
  return new URL(path, 'http://console').pathname === new URL(pathname, 'http://console').pathname;
}
