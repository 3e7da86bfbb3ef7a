import { useId } from 'react';
import { DELETE_NAMES_MAX } from '@/server/contract/console/console-terms';
import { Field } from '../ui/controls/field';

/** What was typed: a prefix, or names one a line. */
export interface DeletionForm {
  namespace: string;
  way: 'prefix' | 'names';
  prefix: string;
  names: string;
}

const METHODS = [
  ['prefix', 'all that begin with…'],
  ['names', 'these names'],
] as const;

/** Which names are meant: all with a prefix, or a selection. */
export function DeletionFields({
  typed,
  namespaces,
  isFixed,
  onChange,
}: {
  typed: DeletionForm;
  namespaces: string[];
  /** They are on their way: no change of mind. */
  isFixed: boolean;
  onChange: (part: Partial<DeletionForm>) => void;
}) {
  const id = useId();
  return (
    <>
      <div>
        <label htmlFor={`${id}-namespace`} className="mb-1.5 block font-[550]">
          Namespace
        </label>
        <select
          id={`${id}-namespace`}
          className="field"
          value={typed.namespace}
          disabled={isFixed}
          onChange={(event) => onChange({ namespace: event.target.value })}
        >
          {namespaces.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <fieldset className="flex flex-wrap gap-2" disabled={isFixed}>
        <legend className="mb-1.5 font-[550]">Delete</legend>
        {METHODS.map(([way, words]) => (
          <label key={way} className="choice">
            <input
              type="radio"
              name={`${id}-way`}
              className="sr-only"
              checked={typed.way === way}
              onChange={() => onChange({ way })}
            />
            {words}
          </label>
        ))}
      </fieldset>
      {typed.way === 'prefix' ? (
        <Field
          label="Prefix"
          hint="empty: every name of the namespace"
          mono
          value={typed.prefix}
          maxLength={200}
          disabled={isFixed}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={(event) => onChange({ prefix: event.target.value })}
        />
      ) : (
        <div>
          <label htmlFor={`${id}-names`} className="mb-1.5 flex flex-wrap items-baseline gap-x-2">
            <span className="font-[550]">Names</span>
            <span className="text-12 text-t3">one a line, at most {DELETE_NAMES_MAX}</span>
          </label>
          <textarea
            id={`${id}-names`}
            className="field min-h-24 py-2 font-mono"
            rows={4}
            value={typed.names}
            disabled={isFixed}
            autoCapitalize="off"
            spellCheck={false}
            onChange={(event) => onChange({ names: event.target.value })}
          />
        </div>
      )}
    </>
  );
}
