import { Field } from '../ui/controls/field';
import { fieldProblem, limitsLabel, type RaceField, type RaceForm } from './race-form';

const FIELDS: { field: RaceField; label: string }[] = [
  { field: 'workers', label: 'Workers' },
  { field: 'stock', label: 'Units in stock' },
  { field: 'thinkMs', label: 'Think time (ms)' },
  { field: 'seconds', label: 'Time limit each (s)' },
  { field: 'seed', label: 'Seed' },
];

/** The load of a race. */
export function RaceFields({
  form,
  isReadOnly,
  onChange,
}: {
  form: RaceForm;
  isReadOnly: boolean;
  onChange: (part: Partial<RaceForm>) => void;
}) {
  return (
    <div className="lab-fields">
      {FIELDS.map(({ field, label }) => (
        <Field
          key={field}
          label={label}
          hint={limitsLabel(field)}
          inputMode="numeric"
          autoComplete="off"
          maxLength={20}
          disabled={isReadOnly}
          value={form[field]}
          problem={fieldProblem(form, field)}
          onChange={(event) => onChange({ [field]: event.target.value })}
        />
      ))}
      <label className="lab-switch">
        <input
          type="checkbox"
          checked={form.pause}
          disabled={isReadOnly}
          onChange={(event) => onChange({ pause: event.target.checked })}
        />
        <span>
          <span className="font-[550]">Pause a worker</span>
          <span className="block text-12 text-t3">
            One more worker stops between reading and writing for longer than its lease, as in a
            long garbage collection.
          </span>
        </span>
      </label>
    </div>
  );
}
