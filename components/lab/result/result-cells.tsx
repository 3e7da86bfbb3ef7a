import type { LabRow, LabRowVerdict } from '@/server/contract/console/lab/lab-race';
import { exactCount } from '@/server/core/format/numbers';
import { latencyText } from '../../format/durations';
import { Icon, type IconName } from '../../icons/icon';
import { type LabScales, latencyPosition } from './lab-scales';

interface CellProps {
  row: LabRow;
  scales: LabScales;
}

const percent = (share: number) => `${Math.round(share * 10_000) / 100}%`;

/** Units sold beside the tick of the stock; what was oversold is red. */
export function SoldCell({ row: { sold, stock, oversold }, scales }: CellProps) {
  const sound = Math.max(0, sold - oversold);
  return (
    <td data-cell="sold" data-label="Sold" title={`${exactCount(sold)} of ${exactCount(stock)}`}>
      <span className="sr-only">
        {exactCount(sold)} of {exactCount(stock)}
      </span>
      <span aria-hidden="true" className="lab-sold" data-cut={sold > scales.soldMax}>
        <span style={{ inlineSize: percent(sound / scales.soldMax) }} />
        {oversold > 0 && (
          <span
            data-beyond="true"
            style={{
              insetInlineStart: percent(sound / scales.soldMax),
              inlineSize: percent(Math.min(oversold, scales.soldMax - sound) / scales.soldMax),
            }}
          />
        )}
        <i style={{ insetInlineStart: percent(scales.stockAt) }} />
      </span>
    </td>
  );
}

/**
 * Operations per second. The bar of a strategy that oversells, or did not only by luck, is pale: a
 * fast wrong answer is no achievement.
 */
export function SpeedCell({
  row,
  scales,
  isBest,
  isWrongWay,
}: CellProps & { isBest: boolean; isWrongWay: boolean }) {
  const { opsPerSecond, verdict } = row;
  const isSound = verdict === 'holds' && !isWrongWay;
  const look = isBest ? 'best' : isSound ? 'holds' : 'pale';
  return (
    <td data-cell="speed" data-label="Per second">
      <span className="lab-speed">
        <span className={isBest ? 'font-[620]' : ''}>{exactCount(Math.round(opsPerSecond))}</span>
        <span aria-hidden="true" className="lab-speed-bar" data-look={look}>
          <span style={{ inlineSize: percent(opsPerSecond / scales.opsMax) }} />
        </span>
      </span>
    </td>
  );
}

/** The 99th percentile as a dot on a logarithmic line, the median as a ring. */
export function LatencyCell({ row: { p50Ms, p99Ms }, scales: { latencyMs } }: CellProps) {
  return (
    <td data-cell="latency" data-label="p99 / p50">
      <span className="lab-latency">
        <span aria-hidden="true" className="lab-latency-line">
          <i
            data-median="true"
            style={{ insetInlineStart: percent(latencyPosition(p50Ms, latencyMs)) }}
          />
          <i style={{ insetInlineStart: percent(latencyPosition(p99Ms, latencyMs)) }} />
        </span>
        <span className="lab-latency-text">
          <span>
            <span className="sr-only">p99 </span>
            {latencyText(p99Ms)}
          </span>
          <span className="text-12 text-t3">
            <span className="sr-only">, p50 </span>
            {latencyText(p50Ms)}
          </span>
        </span>
      </span>
    </td>
  );
}

const VERDICTS: Record<LabRowVerdict | 'lucky', { word: string; icon: IconName }> = {
  holds: { word: 'Holds', icon: 'shield' },
  lucky: { word: 'Lucky', icon: 'alert-triangle' },
  oversells: { word: 'Oversells', icon: 'alert-circle' },
  incomplete: { word: 'Incomplete', icon: 'question' },
};

/** A wrong way does not hold: it was lucky. */
export function VerdictBadge({
  verdict,
  isWrongWay,
}: {
  verdict: LabRowVerdict;
  isWrongWay: boolean;
}) {
  const shown = verdict === 'holds' && isWrongWay ? 'lucky' : verdict;
  const { word, icon } = VERDICTS[shown];
  return (
    <span className="lab-badge" data-verdict={shown}>
      <Icon name={icon} size={14} />
      {word}
    </span>
  );
}
