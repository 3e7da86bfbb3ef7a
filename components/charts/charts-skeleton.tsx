/** Placeholders for the charts, with the same height. */
export function ChartsSkeleton() {
  return (
    <div className="charts after-a-moment" aria-hidden="true">
      <div className="charts-over-time">
        {['', '', 'chart-lanes', 'chart-times'].map((height, chart) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: their order never changes
          <div key={chart}>
            <div className="chart-head">
              <span className="bone h-3 w-32" />
            </div>
            <div className={`chart flex items-end ${height}`}>
              <span className="bone h-1 w-full" />
            </div>
          </div>
        ))}
      </div>
      <div className="charts-histograms">
        {['waits', 'holds'].map((chart) => (
          <div key={chart}>
            <div className="chart-head">
              <span className="bone h-3 w-32" />
            </div>
            <div className="chart chart-tall flex items-end">
              <span className="bone h-1 w-full" />
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}
