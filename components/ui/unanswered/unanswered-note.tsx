'use client';

import { spokenDuration } from '@/server/core/format/durations';
import { Icon } from '../../icons/icon';
import { failureTitleWithoutRetry } from '../../live/problem';
import { NearLink } from '../../navigation/near-link';
import { Button } from '../controls/button';
import { VisibleText } from '../visible-text';
import { hideAct, type UnansweredAct } from './unanswered-acts';

/** An action without an answer, or its late answer. */
export function UnansweredNote({ act }: { act: UnansweredAct }) {
  const { id, what, subject, afterwards, outcome } = act;
  const isApplied = outcome?.kind === 'applied';
  const tone = outcome === null ? 'open' : isApplied ? 'applied' : 'failed';
  const icon = outcome === null ? 'question' : isApplied ? 'check' : 'alert-circle';
  return (
    // biome-ignore lint/a11y/useSemanticElements: it groups no fields
    <div
      role="group"
      aria-label={what}
      data-tone={tone}
      className="rise-in flex items-start gap-2.5 rounded-10 border border-current bg-s1 px-3.5 py-2.5 text-acc shadow-lg data-[tone=failed]:text-dangertext data-[tone=open]:border-dashed data-[tone=open]:text-unknown"
    >
      <Icon name={icon} size={16} className="mt-0.5 shrink-0" />
      <div className="min-w-0 flex-1 text-t1">
        <p className="font-[550] [overflow-wrap:anywhere]">
          {what}
          {subject && (
            <>
              {' · '}
              <NearLink href={subject.href} className="link">
                <VisibleText text={subject.name} />
              </NearLink>
            </>
          )}
        </p>
        <p className="text-t2 [overflow-wrap:anywhere]">{outcomeText(act)}</p>
        {isApplied && afterwards && <p className="text-t2">{afterwards}</p>}
      </div>
      <Button size="small" onClick={() => hideAct(id)}>
        Hide
      </Button>
    </div>
  );
}

export function outcomeText({ outcome }: Pick<UnansweredAct, 'outcome'>): string {
  if (outcome === null) return 'No response yet. It may or may not take effect.';
  const after = spokenDuration(Math.round(outcome.afterMs / 1_000) * 1_000);
  switch (outcome.kind) {
    case 'applied':
      return `Applied. The response took ${after}.`;
    case 'refused':
      return `Not applied: the state had changed. The response took ${after}.`;
    case 'failed':
      return `${failureTitleWithoutRetry(outcome.problem)} ${outcome.problem.text}`;
  }
}
