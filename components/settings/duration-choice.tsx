interface DurationChoiceProps {
  legend: string;
  /** The name of the form's field. Its value is in milliseconds. */
  name: string;
  choices: readonly { label: string; ms: number }[];
  chosenMs: number;
}

/** A field of a form: one of a few durations. */
export function DurationChoice({ legend, name, choices, chosenMs }: DurationChoiceProps) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-[550]">{legend}</legend>
      <div className="flex flex-wrap gap-2">
        {choices.map(({ label, ms }) => (
          <label key={label} className="choice">
            <input
              type="radio"
              name={name}
              value={ms}
              defaultChecked={ms === chosenMs}
              className="mr-2 accent-[var(--acc)]"
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
