'use client';

import dynamic from 'next/dynamic';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { Icon } from '../icons/icon';
import { useTRPCClient } from '../live/trpc';
import { isPastPage, pastHref } from './past-address';
import { usePastAt } from './past-at';

const PastBar = dynamic(() => import('./past-bar'), {
  ssr: false,
  loading: () => <div className="past-bar" aria-hidden="true" />,
});

/** How far back the first look is. */
const FIRST_LOOK_MS = 60_000;

/** Above a page that shows the past. */
export function PastBarSlot() {
  const at = usePastAt();
  return at === null ? null : <PastBar at={at} />;
}

/** Opens the page as of a minute ago, from where the bar leads on. */
export function LookBackButton() {
  const router = useRouter();
  const pathname = usePathname();
  const params = useSearchParams();
  const client = useTRPCClient();
  const at = usePastAt();
  if (!isPastPage(pathname) || at !== null) return null;
  const open = async () => {
    const { asOf } = await client.past.range.query();
    router.push(pastHref(`${pathname}?${params.toString()}`, asOf - FIRST_LOOK_MS));
  };
  return (
    <button
      type="button"
      className="look-back"
      onClick={() => void open()}
      title="See this page as of an earlier instant"
    >
      <Icon name="clock" size={16} />
      <span className="max-lg:sr-only">Look back</span>
    </button>
  );
}
