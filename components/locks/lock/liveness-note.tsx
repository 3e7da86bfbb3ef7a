'use client';

import { agoText, wholeSeconds } from '@/server/core/format/durations';
import type { LivenessVerdict } from '@/server/core/status/holder-liveness';
import { Icon, type IconName } from '../../icons/icon';
import { useAtBackend } from '../../live/reading';
import type { ClockOf } from '../../live/reading-store';
import { VisibleText } from '../../ui/visible-text';

const LOOKS: Record<
  LivenessVerdict['state'],
  { words: string; word: string; icon: IconName; ink: string }
> = {
  dead: { words: 'Process is dead', word: 'Dead', icon: 'unplug', ink: 'text-dangertext' },
  alive: { words: 'Process is alive', word: 'Alive', icon: 'activity', ink: 'text-acc' },
  unknown: {
    words: 'Unknown whether the process is alive',
    word: 'Unknown',
    icon: 'question',
    ink: 'text-unknown',
  },
};

/** Whether the process of a hold is alive, on what evidence, and how old that is. */
export function LivenessNote({
  verdict,
  of,
  isBrief = false,
}: {
  verdict: LivenessVerdict;
  of: ClockOf;
  /** The context makes clear that the process is meant. */
  isBrief?: boolean;
}) {
  const { words, word, icon, ink } = LOOKS[verdict.state];
  const { evidence, at } = verdict;
  const agoMs = useAtBackend(of, (now) => (at === null ? 0 : Math.max(0, wholeSeconds(now - at))));
  return (
    <p className="flex min-w-0 items-start gap-2">
      <Icon name={icon} size={16} className={`mt-0.5 ${ink}`} />
      <span className="min-w-0 self-baseline [overflow-wrap:anywhere]">
        <b className={`font-[550] ${verdict.state === 'unknown' ? '' : ink}`}>
          {isBrief ? word : words}
        </b>
        <span className="text-t2">
          : <VisibleText text={evidence} />
        </span>
        {at !== null && (
          <span className="text-t3">
            , {verdict.kind !== 'renewals' && `${sourceOf(verdict)}, `}
            <span className="whitespace-nowrap">{agoText(agoMs)}</span>
          </span>
        )}
      </span>
    </p>
  );
}

const sourceOf = ({ kind, witness }: LivenessVerdict) =>
  kind === 'host' ? `witness ${witness}` : `URL witness ${witness}`;
