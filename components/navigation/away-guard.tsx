'use client';

import { useRouter } from 'next/navigation';
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import { Icon } from '../icons/icon';
import { useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { canOpenKnown, isListHref, mayBeAway, reportGuard } from './away';

/** How often the server is asked whether it is back. */
const ASK_EVERY_MS = 1_000;

/**
 * Keeps links from leaving the console while the server does not respond: the browser would show
 * its own error page, and the last known state would be lost. The page opens once the server is
 * back. Not for links marked `data-opens-known`, once those can do without the server, nor for
 * links to the list within `data-list-behind`.
 */
export function AwayGuard({ className, children }: { className: string; children: ReactNode }) {
  const [wanted, setWanted] = useState<string | null>(null);
  useEffect(() => reportGuard(setWanted), []);
  const onClick = (event: MouseEvent) => {
    const href = mayBeAway() ? linkOf(event) : null;
    if (href === null) return;
    event.preventDefault();
    event.stopPropagation();
    setWanted(href);
  };
  return (
    <div className={className} onClickCapture={onClick}>
      {children}
      {wanted !== null && <Opening key={wanted} href={wanted} onEnd={() => setWanted(null)} />}
    </div>
  );
}

/** The page of the console that a plain click on a link opens; null where it is no such click. */
function linkOf({ target, button, ctrlKey, metaKey, shiftKey }: MouseEvent): string | null {
  if (!(target instanceof Element) || button !== 0 || ctrlKey || metaKey || shiftKey) return null;
  const link = target.closest('a');
  const href = link?.getAttribute('href');
  if (!link || !href?.startsWith('/') || link.target !== '' || link.hasAttribute('download')) {
    return null;
  }
  const isBehind = isListHref(href) && link.closest('[data-list-behind]') !== null;
  const opensKnown = canOpenKnown() && link.closest('[data-opens-known]') !== null;
  return isBehind || opensKnown ? null : href;
}

function Opening({ href, onEnd }: { href: string; onEnd: () => void }) {
  const router = useRouter();
  const client = useTRPCClient();
  const [isAway, setAway] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one link, until it is opened
  useEffect(() => {
    let isOver = false;
    // A request to a server that hangs would not even fail.
    const slow = setTimeout(() => setAway(true), ASK_EVERY_MS);
    const ask = async () => {
      while (!isOver) {
        const isBack = await client.session.current.query().then(
          () => true,
          () => false,
        );
        if (isOver) return;
        if (isBack) {
          router.push(href);
          return onEnd();
        }
        setAway(true);
        await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
      }
    };
    void ask();
    return () => {
      isOver = true;
      clearTimeout(slow);
    };
  }, [href]);
  if (!isAway) return null;
  return (
    <p
      role="status"
      className="rise-in fixed bottom-40 md:bottom-24 left-1/2 z-50 flex w-max max-w-[calc(100%-2*var(--gutter))] -translate-x-1/2 items-center gap-2.5 rounded-10 border border-unknown border-dashed bg-s1 px-3.5 py-2 shadow-lg"
    >
      <Icon name="question" size={16} className="shrink-0 text-unknown" />
      Server not responding. The page opens once it is back.
      <Button size="small" onClick={onEnd}>
        Stay here
      </Button>
    </p>
  );
}
