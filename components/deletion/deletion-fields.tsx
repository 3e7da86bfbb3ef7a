import { useId } from 'react';
import { DELETE_NAMES_MAX } from '@/server/contract/console/console-terms';
import { NamespaceSelect } from '../namespaces/namespace-select';
import { Choice } from '../ui/controls/choices/choice';
import { Field } from '../ui/controls/field';
import type { DeletionTarget } from './use-deletion';

/** What was entered: a prefix, or names one per line. */
export interface DeletionForm {
  namespace: string;
  way: 'prefix' | 'names';
  prefix: string;
  names: string;
}

const METHODS = [
  ['prefix', 'By prefix'],
  ['names', 'By name'],
] as const;

/** The fields that choose the names to delete: all with a prefix, or a list. */
export function DeletionFields({
  form,
  isFixed,
  onChange,
}: {
  form: DeletionForm;
  /** The deletion has begun. */
  isFixed: boolean;
  onChange: (part: Partial<DeletionForm>) => void;
}) {
  const id = useId();
  return (
    <>
      <NamespaceSelect
        value={form.namespace}
        isDisabled={isFixed}
        onChange={(namespace) => onChange({ namespace })}
      />
      <fieldset className="flex flex-wrap gap-2" disabled={isFixed}>
        <legend className="mb-1.5 font-[550]">Select</legend>
        {METHODS.map(([way, label]) => (
          <Choice
            key={way}
            name={`${id}-way`}
            isChosen={form.way === way}
            onChoose={() => onChange({ way })}
          >
            {label}
          </Choice>
        ))}
      </fieldset>
      {form.way === 'prefix' ? (
        <Field
          label="Prefix"
          hint="empty: every name in the namespace"
          mono
          value={form.prefix}
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
            <span className="text-12 text-t3">one per line, max {DELETE_NAMES_MAX}</span>
          </label>
          <textarea
            id={`${id}-names`}
            className="field min-h-24 py-2 font-mono"
            rows={4}
            value={form.names}
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

/** The names to delete as entered; null while there are none, or too many. */
export function parseDeletionForm(
  kind: DeletionTarget['kind'],
  form: DeletionForm,
): DeletionTarget | null {
  const { namespace, way, prefix } = form;
  if (way === 'prefix') return { namespace, kind, prefix };
  const names = [...new Set(form.names.split('\n').filter((name) => name !== ''))];
  return names.length > 0 && names.length <= DELETE_NAMES_MAX ? { namespace, kind, names } : null;
}
