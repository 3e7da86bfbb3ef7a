'use client';

import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getSmoothStepPath } from '@xyflow/react';
import { Icon } from '../../icons/icon';
import { Button } from '../../ui/controls/button';
import { type CycleHold, useHoldAct } from '../use-hold-act';

/** How wide its button is, whole and with a short label: the layout leaves room for it. */
export const BREAK_BUTTON = { width: 108, height: 24 };
export const SHORT_BREAK_BUTTON = { width: 56, height: 24 };

/** The data of its edge. */
export interface BreakLineData extends Record<string, unknown> {
  hold: CycleHold;
  /** There is room only for the short label. */
  isShort: boolean;
}

/** The line of a deadlock at which breaking it loses the least work, with the act on it. */
export function BreakLine({ data, style, markerStart, markerEnd, ...ends }: EdgeProps) {
  const { mayAct, failure, open } = useHoldAct();
  const [path, x, y] = getSmoothStepPath(ends);
  const { hold, isShort } = (data ?? {}) as Partial<BreakLineData>;
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
              {!isShort && <Icon name="close" size={13} />}
              Break<span className={isShort ? 'sr-only' : ''}> here</span>
            </Button>
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}
