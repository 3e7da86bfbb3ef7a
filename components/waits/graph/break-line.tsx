'use client';

import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getSmoothStepPath } from '@xyflow/react';
import { Icon } from '../../icons/icon';
import { Button } from '../../ui/controls/button';
import { type CycleHold, useHoldAct } from '../use-hold-act';

/** How wide its button is: the layout leaves room for it. */
export const BREAK_BUTTON = { width: 108, height: 24 };

/** The line of a deadlock at which breaking it loses the least work, with the act on it. */
export function BreakLine({ data, style, markerStart, markerEnd, ...ends }: EdgeProps) {
  const { mayAct, failure, open } = useHoldAct();
  const [path, x, y] = getSmoothStepPath(ends);
  const hold = data?.hold as CycleHold | undefined;
  return (
    <>
      <BaseEdge
        path={path}
        {...(style && { style })}
        {...(markerStart && { markerStart })}
        {...(markerEnd && { markerEnd })}
      />
      {mayAct && hold && (
        <EdgeLabelRenderer>
          <div
            className="wait-break nodrag nopan"
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
          >
            <Button
              size="small"
              tone="accent"
              title={failure?.title ?? 'Force release this hold: the least work is lost here'}
              onClick={() => open('release', hold)}
            >
              <Icon name="close" size={13} />
              Break here
            </Button>
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}
