'use client';

import dynamic from 'next/dynamic';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { Icon } from '../icons/icon';
import { problemOf } from '../live/problem';
import { useTRPCClient } from '../live/trpc';
import { LatePart, loadUntilThere } from '../navigation/late-part';
import { NearLink } from '../navigation/near-link';
import { isPastPage, pastHref } from './past-address';
import { usePastAt } from './past-at';

const PastBar = dynamic(() => loadUntilThere(() => import('./past-bar')), {
  ssr: false,
  loading: () => (
    <div className="past-bar">
      <LatePart />
    </div>
  ),
});

/** How far back the button goes. */
const FIRST_LOOK_MS = 60_000;

/** Above a page that shows the past, and above one that cannot but has an address with `at`. */
export function PastBarSlot() {
  const at = usePastAt();
  return at === null ? <PresentNote /> : <PastBar at={at} />;
}

/** Says that a page shows the present although its address names an instant. */
function PresentNote() {
  const pathname = usePathname();
  const params = useSearchParams();
  if (isPastPage(pathname) || !params.get('at')) return null;
  return (
    <p role="status" className="past-bar">
      This page shows the present: it cannot look back to the instant in its address.
      <NearLink
        href={pastHref(`${pathname}?${params.toString()}`, null)}
        className="link rounded-4 whitespace-nowrap"
      >
        Remove the instant
      </NearLink>
    </p>
  );
}

/** Opens the page as of a minute ago; from there the bar leads to other instants. */
export function LookBackButton() {
  const router = useRouter();
  const pathname = usePathname();
  const params = useSearchParams();
  const client = useTRPCClient();
  const at = usePastAt();
  const [failed, setFailed] = useState<{ on: string; text: string } | null>(null);
  const failure = failed?.on === pathname ? failed.text : '';
  if (!isPastPage(pathname) || at !== null) return null;
  const open = async () => {
    try {
      const { asOf } = await client.past.range.query();
      setFailed(null);
      router.push(pastHref(`${pathname}?${params.toString()}`, asOf - FIRST_LOOK_MS));
    } catch (error) {
      setFailed({ on: pathname, text: problemOf(error).text });
    }
  };
  return (
    <>
      <button
        type="button"
        className="look-back"
        onClick={() => void open()}
        title={failure || 'See this page as of an earlier instant'}
      >
        <Icon name={failure ? 'alert-triangle' : 'clock'} size={16} />
        <span className="max-lg:sr-only">{failure ? 'Look back failed, retry' : 'Look back'}</span>
      </button>
      <span role="status" className="sr-only">
        {failure && `Could not look back. ${failure}`}
      </span>
    </>
  );
}
