import type { ReactNode } from 'react';
import { Icon } from '../icons/icon';
import { NearLink } from '../navigation/near-link';
import { CopyButton } from '../ui/controls/copy-button';
import { WholeName } from '../ui/visible-text';
import { LiveIndicator } from './live-indicator';
import type { LinkState } from './use-live';

/** The head of a lock's or counter's page: where it is, its whole name, and whether data flows. */
export function RecordHead({
  kind,
  row: { namespace, name, backend },
  isKnown,
  link,
  onRetry,
  meta,
  children,
}: {
  kind: 'lock' | 'counter';
  row: { namespace: string; name: string; backend: string };
  /** Its backend responds. */
  isKnown: boolean;
  link: LinkState;
  onRetry: () => void;
  /** Beside the name. */
  meta: ReactNode;
  /** In the line of the name, at its end. */
  children?: ReactNode;
}) {
  const isLock = kind === 'lock';
  return (
    <>
      <div className="flex items-center gap-3">
        <nav aria-label="Breadcrumb" className="flex min-w-0 flex-1 items-center gap-1.5 text-12">
          <NearLink href={isLock ? '/' : '/counters'} className="rounded-4 text-t2 hover:text-t1">
            {isLock ? 'Locks' : 'Counters'}
          </NearLink>
          <Icon name="chevron-right" size={13} className="text-t3" />
          {isLock ? (
            <NearLink
              href={`/?namespace=${encodeURIComponent(namespace)}`}
              className="truncate rounded-4 text-t2 hover:text-t1"
            >
              {namespace}
            </NearLink>
          ) : (
            <span className="truncate text-t2">{namespace}</span>
          )}
          <Icon name="chevron-right" size={13} className="text-t3" />
          <NearLink
            href={`/backends#backend-${encodeURIComponent(backend)}`}
            title={`Backend ${backend}`}
            className="truncate rounded-4 text-t2 hover:text-t1"
          >
            on {backend}
          </NearLink>
        </nav>
        <LiveIndicator link={link} onRetry={onRetry} backend={isKnown ? '' : backend} />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="flex min-w-0 items-center">
          <h1 className="min-w-0 text-20 font-[550] text-balance max-sm:text-[18px]">
            <WholeName name={name} />
          </h1>
          <CopyButton text={name} label={`Copy ${kind} name`} shortcut="y" quiet />
        </span>
        <p className="text-12 text-t3">{meta}</p>
        {children}
      </div>
    </>
  );
}
