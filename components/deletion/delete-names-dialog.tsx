'use client';

import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { isValidReason, ReasonField } from '../actions/reason-field';
import { exactCount } from '../format/counts';
import { Icon } from '../icons/icon';
import { failureTitleWithoutRetry, problemOf } from '../live/problem';
import { useTRPC } from '../live/trpc';
import { useDebounced } from '../live/use-debounced';
import { Button } from '../ui/controls/button';
import { Dialog } from '../ui/controls/dialog';
import { Field } from '../ui/controls/field';
import { ProblemNote } from '../ui/problem-note';
import { DeletionFields, type DeletionForm } from './deletion-fields';
import { DeletionPreview } from './deletion-preview';
import { DeletionResults } from './deletion-results';
import { parseDeletionForm } from './parse-deletion-form';
import { type DeletionTarget, useDeletion } from './use-deletion';

/**
 * Deletes free locks, or counters: shows first what would go, and deletes no more than was typed.
 */
export function DeleteNamesDialog({
  kind,
  at,
  onGone,
  onClose,
}: {
  kind: DeletionTarget['kind'];
  /** What it begins with. */
  at: Partial<DeletionForm>;
  /** Called while names go, with those that are gone. */
  onGone?: ((namespace: string, names: string[]) => void) | undefined;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const cancel = useRef<HTMLButtonElement>(null);
  const [typed, setTyped] = useState<DeletionForm>({
    namespace: 'default',
    way: 'prefix',
    prefix: '',
    names: '',
    ...at,
  });
  const [count, setCount] = useState('');
  const [reason, setReason] = useState('');
  const course = useDeletion(onGone);
  const { data: namespaces = [] } = useQuery(trpc.namespaces.list.queryOptions());
  const settled = JSON.parse(
    useDebounced(JSON.stringify(parseDeletionForm(kind, typed))),
  ) as DeletionTarget | null;
  const isFixed = course.isBusy || course.isOver;
  const { data: preview, error } = useQuery({
    ...trpc.locks.previewDeletion.queryOptions(settled ?? { namespace: typed.namespace }),
    enabled: settled !== null && !isFixed,
    retry: false,
    staleTime: 0,
  });
  const words = kind === 'lock' ? 'locks' : 'counters';
  const going = settled && preview ? preview.going : 0;
  const isCounted = going > 0 && count.replaceAll(/\D/g, '') === String(going);
  const names = [...new Set([typed.namespace, ...namespaces.map(({ name }) => name)])];
  const close = () => {
    course.stop();
    onClose();
  };
  return (
    <Dialog
      open
      onClose={close}
      title={kind === 'lock' ? 'Delete free locks?' : 'Delete counters?'}
    >
      <p className="my-4 flex gap-3 rounded-10 bg-contended-tint px-3.5 py-2.5">
        <Icon name="alert-triangle" size={16} className="mt-0.5 shrink-0 text-contended" />
        <span>
          {kind === 'lock'
            ? 'A deleted lock can be taken again at any time, with higher tokens. Its history stays.'
            : 'A deleted counter and its value are gone: programs that add to it are refused until it is created again.'}
        </span>
      </p>
      <div className="flex flex-col gap-4">
        <DeletionFields
          typed={typed}
          namespaces={names}
          isFixed={isFixed}
          onChange={(part) => setTyped({ ...typed, ...part })}
        />
        {error && !isFixed && (
          <ProblemNote problem={problemOf(error)} title="It was not counted." />
        )}
        {settled && preview && !isFixed && <DeletionPreview preview={preview} words={words} />}
        {!isFixed && (
          <>
            <Field
              label="How many"
              hint={going > 0 ? `type ${exactCount(going)}: no more than these are deleted` : ''}
              inputMode="numeric"
              autoComplete="off"
              value={count}
              disabled={going === 0}
              onChange={(event) => setCount(event.target.value)}
            />
            <ReasonField value={reason} onChange={setReason} hint="kept in the audit log" />
          </>
        )}
        {isFixed && <DeletionResults course={course} words={words} />}
        {course.problem && (
          <ProblemNote problem={course.problem} title={failureTitleWithoutRetry(course.problem)} />
        )}
      </div>
      <div className="mt-5 flex flex-wrap justify-end gap-3">
        <Button ref={cancel} size="large" onClick={close}>
          {course.isBusy ? 'Stop' : course.isOver ? 'Close' : 'Cancel'}
        </Button>
        {!course.isOver && (
          <Button
            size="large"
            tone="danger"
            disabled={!isCounted || !isValidReason(reason) || course.isBusy}
            onClick={() => settled && void course.run(settled, going, reason)}
          >
            {course.isBusy
              ? 'Working…'
              : `Delete ${going > 0 ? `${exactCount(going)} ` : ''}${going === 1 ? kind : words}`}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
