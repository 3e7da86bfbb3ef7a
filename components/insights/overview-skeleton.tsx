import type { Overview } from '@/server/contract/console/past/overview';
import { abnormalEndsLabel, hasHistory, longestP99Ms } from '../charts/chart-labels';
import { rangeLabel } from '../charts/chart-range';
import { Panel } from '../ui/panel';

/** In place of the charts of all locks: as high as they will be, as far as that is known. */
export function OverviewSkeleton({
  overview,
  at,
}: {
  /** Null while it is not known. */
  overview: Overview | null;
  /** The past time that it is of; null: the present. */
  at: number | null;
}) {
  const heights = overview ? heightsOf(overview) : [TIMES, 'chart', 'chart', LANES];
  const locks = overview?.heat.rows ?? [];
  // A past time is named only in the zone of the browser, which the server does not know.
  const label = overview && at === null && rangeLabel(overview.range, at);
  return (
    <Panel title="All locks" aside={label}>
      {heights.length > 0 && (
        <div aria-hidden="true" className="overview-charts charts-over-time after-a-moment">
          {locks.length > 0 && (
            <div>
              <Head />
              {locks.map(({ backend, namespace, name }) => (
                <div key={`${backend}/${namespace}/${name}`} className="heat-row">
                  <span className="heat-name">
                    <span className="bone h-3 w-32" />
                  </span>
                  <span className="heat-cells" />
                </div>
              ))}
            </div>
          )}
          {heights.map((height, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: their order never changes
            <div key={place}>
              <Head />
              <div className={`${height} flex items-end`}>
                <span className="bone h-1 w-full" />
              </div>
            </div>
          ))}
        </div>
      )}
    </Panel>
  );
}

const Head = () => (
  <div className="chart-head">
    <span className="bone h-3 w-32" />
  </div>
);

const TIMES = 'chart chart-times';
const LANES = 'chart chart-lanes';
/** A sentence in place of a chart. */
const LINE = 'h-5';

/** The heights of the charts that there will be, as classes; none where nothing was recorded. */
function heightsOf(overview: Overview): string[] {
  if (!hasHistory(overview) && overview.heat.rows.length === 0) return [];
  const { total } = overview;
  return [
    TIMES,
    longestP99Ms(overview, 'wait') > 0 ? 'chart' : LINE,
    longestP99Ms(overview, 'hold') > 0 ? 'chart' : LINE,
    ...(total.refused > 0 ? [TIMES] : []),
    abnormalEndsLabel(total) === null ? LINE : LANES,
  ];
}
