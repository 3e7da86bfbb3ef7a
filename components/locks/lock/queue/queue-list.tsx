'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useRef } from 'react';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { isPatienceKnown } from '@/server/core/past/is-patience-known';
import { displayedMs } from '../../../format/durations';
import { useAtBackend } from '../../../live/reading';
import { Duration } from '../../../ui/duration';
import { WrappedName } from '../../../ui/visible-text';
import { Countdown, LeaseBar } from '../../row/lease-left';
import type { PlacedWaiter } from './find-waiters';

/** In a longer queue only the waiters in view are drawn, since each has figures that change. */
const WHOLE_MAX = 100;

/** The height of a waiter, before it is measured. */
const rowPx = () => 29;

interface QueueListProps {
  placed: readonly PlacedWaiter[];
  backend: string;
  /** If the queue is not known: when it last was, by the backend's clock. */
  lastReadAt: number | null;
}

/** The waiters in the order in which they will be served; a long queue scrolls in a frame. */
export function QueueList(props: QueueListProps) {
  const { placed } = props;
  const isLong = placed.length > WHOLE_MAX;
  return (
    <div className="queue" data-wide={(placed.at(-1)?.place ?? 0) >= WHOLE_MAX}>
      <p aria-hidden="true" className="panel-row queue-row queue-head">
        <span className="text-right">#</span>
        <span>Owner</span>
        <span className="text-right">Waiting</span>
        <span>Times out in</span>
      </p>
      {isLong ? (
        <LongQueue {...props} />
      ) : (
        <ol>
          {placed.map((each) => (
            <Waiter key={each.waiter.ticket} {...props} {...each} />
          ))}
        </ol>
      )}
    </div>
  );
}

function LongQueue(props: QueueListProps) {
  const { placed } = props;
  const frame = useRef<HTMLElement>(null);
  const keyOf = useCallback((index: number) => placed[index]?.waiter.ticket ?? index, [placed]);
  const virtual = useVirtualizer({
    count: placed.length,
    getScrollElement: () => frame.current,
    estimateSize: rowPx,
    getItemKey: keyOf,
    overscan: 8,
  });
  // An adjustment would end the smooth scrolling that a key started.
  virtual.shouldAdjustScrollPositionOnItemSizeChange = () => false;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must reach it to scroll
    <section ref={frame} className="queue-frame" aria-label="Whole queue" tabIndex={0}>
      <ol style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const each = placed[index];
          if (!each) return null;
          const drawn = { index, of: placed.length, top: start, measure: virtual.measureElement };
          return <Waiter key={key} {...props} {...each} drawn={drawn} />;
        })}
      </ol>
    </section>
  );
}

function Waiter({
  waiter,
  place,
  backend,
  lastReadAt,
  drawn,
}: Omit<QueueListProps, 'placed'> &
  PlacedWaiter & {
    /** Where it is in a long list. */
    drawn?: {
      index: number;
      of: number;
      top: number;
      measure: (element: Element | null) => void;
    };
  }) {
  const { owner, service, enqueuedAt, patienceUntil, detached, setSize, permits } = waiter;
  const ageMs = useAtBackend({ backend }, (now) => displayedMs((lastReadAt ?? now) - enqueuedAt));
  const isRecorded = isPatienceKnown(patienceUntil - enqueuedAt);
  const unknownWhy = lastReadAt !== null ? 'data is stale' : isRecorded ? null : 'not recorded';
  return (
    <li
      className="panel-row queue-row"
      {...(drawn && {
        ref: drawn.measure,
        'data-index': drawn.index,
        'aria-setsize': drawn.of,
        'aria-posinset': drawn.index + 1,
        style: { transform: `translateY(${drawn.top}px)` },
      })}
    >
      <span className="text-right text-t3">{exactCount(place + 1)}</span>
      <span className="queue-owner" title={`${visibleText(owner)}, service ${service}`}>
        <WrappedName name={owner} className="text-12" />
        {place === 0 && lastReadAt === null && <span className="queue-next">next</span>}
        {permits !== undefined && <span className="queue-mark">{plural(permits, 'permit')}</span>}
        {setSize && (
          <span
            className="queue-mark"
            title={`Waits for ${setSize} locks and takes all of them together`}
          >
            multi-lock ({setSize})
          </span>
        )}
        {detached && (
          <span className="queue-mark queue-detached" title="Waiter is between long-poll requests">
            reconnecting
          </span>
        )}
      </span>
      <span className="text-right">
        <Duration ms={ageMs} />
      </span>
      <span className="flex items-center gap-2.5">
        {unknownWhy === null ? (
          <Countdown
            keeper={{ backend }}
            until={patienceUntil}
            wholeMs={Math.max(1, patienceUntil - enqueuedAt)}
          />
        ) : (
          <>
            <LeaseBar share={0} look="unknown" />
            <span className="text-t3" title={`Unknown: ${unknownWhy}`}>
              ?
            </span>
          </>
        )}
      </span>
    </li>
  );
}
