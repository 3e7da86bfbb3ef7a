import type { LabRun } from '@/server/contract/console/lab/lab-run';
import { exactCount } from '@/server/core/format/numbers';
import { countText } from '../../format/numbers';
import { Icon, type IconName } from '../../icons/icon';
import { runVerdict } from './lab-verdict';

/** What a run showed: in a sentence, with the choice that follows, and in figures. */
export function VerdictStrip({ run }: { run: LabRun }) {
  const { held, heldCount, lucky, oversold, incomplete, advice, fastest } = runVerdict(run);
  const { result, rows } = run;
  return (
    <div className="lab-verdict">
      <div className="min-w-0">
        <h2>
          {held} {oversold && <span className="text-dangertext">{oversold}</span>}{' '}
          {(lucky || incomplete) && (
            <span className="text-t2">
              {lucky} {incomplete}
            </span>
          )}
          {rows.length === 0 && 'No strategy finished.'}
        </h2>
        {advice && <p className="pt-1 text-14 text-t2">{advice}</p>}
      </div>
      <dl className="lab-figures">
        <Figure
          icon="shield"
          label="held"
          unit={`of ${rows.length}`}
          ink={heldCount > 0 ? 'text-acc' : ''}
        >
          {heldCount}
        </Figure>
        <Figure
          icon="alert-circle"
          label="oversold"
          unit={result.oversoldUnits === 1 ? 'unit' : 'units'}
          ink={result.oversoldUnits > 0 ? 'text-dangertext' : ''}
        >
          {countText(result.oversoldUnits)}
        </Figure>
        {fastest && (
          <Figure icon="gauge" label="fastest that held" unit="/s">
            {exactCount(Math.round(fastest.opsPerSecond))}
          </Figure>
        )}
      </dl>
    </div>
  );
}

function Figure({
  icon,
  label,
  unit,
  ink = '',
  children,
}: {
  icon: IconName;
  label: string;
  unit: string;
  ink?: string;
  children: string | number;
}) {
  return (
    <div>
      <dt>
        <Icon name={icon} size={15} />
        {label}
      </dt>
      <dd className={ink}>
        {children} <span className="unit">{unit}</span>
      </dd>
    </div>
  );
}
