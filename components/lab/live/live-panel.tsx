import { timeLimitMs } from '@/server/contract/console/lab/lab-race';
import type { LabRun } from '@/server/contract/console/lab/lab-run';
import { spokenDuration } from '@/server/core/format/durations';
import { longestLeftMs } from '../run-labels';
import { RaceCharts } from './race-charts';

/** A race while it runs: how far it is, and the running strategy's charts. */
export function LivePanel({ run }: { run: LabRun }) {
  const { current, entries, rows, settings } = run;
  const entry = entries.find(({ id }) => id === current?.id);
  const place = Math.min(entries.length, rows.length + 1);
  const leftMs = Math.ceil(longestLeftMs(run) / 1_000) * 1_000;
  return (
    <div className="lab-live">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h2 className="text-16 font-[620] max-sm:basis-full sm:text-19">
          {entry ? entry.title : rows.length === 0 ? 'Starting…' : 'Next strategy…'}
        </h2>
        <span className="text-t2" role="status">
          {place} of {entries.length}
        </span>
        <span className="text-12 text-t3 sm:ml-auto">
          {leftMs > 0 ? `at most ${spokenDuration(leftMs)} left` : 'finishing…'}
        </span>
      </div>
      <div
        className="lab-progress"
        role="progressbar"
        aria-label="Strategies finished"
        aria-valuemin={0}
        aria-valuemax={entries.length}
        aria-valuenow={rows.length}
      >
        <span style={{ inlineSize: `${(rows.length / Math.max(1, entries.length)) * 100}%` }} />
      </div>
      <RaceCharts
        samples={current?.samples ?? []}
        stock={settings.stock}
        longestMs={timeLimitMs(settings)}
        result={null}
      />
    </div>
  );
}
