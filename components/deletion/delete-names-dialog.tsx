'use client';

import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { plural } from '@/server/core/format/numbers';
import { isCountTyped, TypedCountField } from '../actions/fields/typed-count';
import { isValidReason, ReasonField } from '../actions/reason-field';
import { failureTitleWithoutRetry, problemOf } from '../live/problem';
import { useTRPC } from '../live/trpc';
import { useDebounced } from '../live/use-debounced';
import { Dialog } from '../ui/controls/dialog';
import { DialogWarning } from '../ui/controls/dialog-warning';
import { RunFoot } from '../ui/controls/foot/run-foot';
import { ProblemNote } from '../ui/problem-note';
import { DeletionFields, type DeletionForm, parseDeletionForm } from './deletion-fields';
import { DeletionPreview, DeletionResults } from './deletion-report';
import { type DeletionTarget, useDeletion } from './use-deletion';

/** How often the preview of names is read again. */
const NAMES_EVERY_MS = 3_000;

export interface DeletionProps {
  kind: DeletionTarget['kind'];
  /** The initial values of the form. */
  at: Partial<DeletionForm>;
  /** Called during the deletion with the names that are gone. */
  onGone?: ((namespace: string, names: string[]) => void) | undefined;
}

/** Deletes free locks, or counters, after a preview: never more than the number that was typed. */
export function DeleteNamesDialog({
  kind,
  at,
  onGone,
  onClose,
}: DeletionProps & { onClose: () => void }) {
  const cancel = useRef<HTMLButtonElement>(null);
  const [form, setForm] = useState<DeletionForm>({
    namespace: 'default',
    way: 'prefix',
    prefix: '',
    names: '',
    ...at,
  });
  const [count, setCount] = useState('');
  const [reason, setReason] = useState('');
  const progress = useDeletion(onGone);
  const { isBusy, isOver, silentSince, problem } = progress;
  const isFixed = isBusy || isOver;
  const { target, preview, going, error } = usePreview(kind, form, !isFixed);
  const missingLabel = going === 0 ? 'names to delete' : 'number to delete';
  // After a stop the dialog stays open and shows what was done.
  const close = isBusy && silentSince === null ? progress.stop : onClose;
  return (
    <Dialog
      open
      onClose={close}
      initialFocus={cancel}
      title={kind === 'lock' ? 'Delete free locks?' : 'Delete counters?'}
    >
      <Consequence kind={kind} />
      <div className="flex flex-col gap-4">
        <DeletionFields
          form={form}
          isFixed={isFixed}
          onChange={(part) => setForm({ ...form, ...part })}
        />
        {error && !isFixed && <ProblemNote problem={problemOf(error)} title="Preview failed" />}
        {target && preview && !isFixed && <DeletionPreview preview={preview} kind={kind} />}
        {!isFixed && (
          <>
            <TypedCountField
              label="Number to delete"
              count={going}
              note="no more are deleted"
              typed={count}
              onChange={setCount}
            />
            <ReasonField value={reason} onChange={setReason} hint="recorded in the audit log" />
          </>
        )}
        {isFixed && <DeletionResults progress={progress} kind={kind} />}
        {problem && (
          <ProblemNote
            problem={problem}
            title={failureTitleWithoutRetry(problem, progress.deleted > 0)}
          />
        )}
      </div>
      <RunFoot
        isBusy={isBusy}
        isOver={isOver}
        silentSince={silentSince}
        missing={[
          ...(isCountTyped(count, going) ? [] : [missingLabel]),
          ...(isValidReason(reason) ? [] : ['reason']),
        ]}
        action={`Delete ${going > 0 ? plural(going, kind) : `${kind}s`}`}
        busyLabel="Deleting…"
        cancel={cancel}
        onClose={close}
        onRun={() => target && void progress.run(target, going, reason)}
      />
    </Dialog>
  );
}

/** What a deletion of the names in a form would do now; read again while the form is open. */
function usePreview(kind: DeletionTarget['kind'], form: DeletionForm, isOpen: boolean) {
  const trpc = useTRPC();
  const entered = JSON.stringify(parseDeletionForm(kind, form));
  const settled = useDebounced(entered);
  const target = JSON.parse(settled) as DeletionTarget | null;
  const { data: preview, error } = useQuery({
    ...trpc.locks.previewDeletion.queryOptions(target ?? { namespace: form.namespace }),
    enabled: target !== null && isOpen,
    retry: false,
    staleTime: 0,
    // A list of names is short, so that its preview can follow changes; a prefix may match many.
    refetchInterval: target?.names ? NAMES_EVERY_MS : false,
  });
  // The preview follows the fields a moment later; until then there is nothing to delete.
  const going = settled === entered && target && preview ? preview.going : 0;
  return { target, preview, going, error };
}

function Consequence({ kind }: { kind: DeletionTarget['kind'] }) {
  return (
    <DialogWarning className="my-4">
      {kind === 'lock'
        ? 'A deleted lock can be acquired again at any time, with higher tokens. Its history ' +
          'is kept.'
        : 'The counters and their values are deleted. Requests to them fail until they are ' +
          'created again.'}
    </DialogWarning>
  );
}
