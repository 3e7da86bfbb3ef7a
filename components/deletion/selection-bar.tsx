'use client';

import { type ReactNode, useRef, useState } from 'react';
import { DELETE_NAMES_MAX } from '@/server/contract/console/console-terms';
import { exactCount, plural } from '@/server/core/format/numbers';
import { Icon } from '../icons/icon';
import { useKeys } from '../live/use-keys';
import { Button } from '../ui/controls/button';
import { Menu, MenuItem, MenuLabel } from '../ui/controls/menu';
import { DeleteNamesDialog } from './lazy-delete-names-dialog';
import type { DeletionTarget } from './use-deletion';
import { namesByNamespace, type SelectionControls } from './use-selection';

/** How many rows are selected, and their deletion, one namespace at a time. */
export function SelectionBar({
  kind,
  selecting,
  children,
}: {
  kind: DeletionTarget['kind'];
  selecting: SelectionControls;
  /** What else can be done to the selected rows. */
  children?: ReactNode;
}) {
  const { selection, isSelecting, loaded, selectLoaded, drop, clear } = selecting;
  const [deleting, setDeleting] = useState<{ namespace: string; names: string } | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const parts = namesByNamespace(selection);
  const [only] = parts.length === 1 ? parts : [];
  const open = (namespace: string, names: string[]) =>
    setDeleting({ namespace, names: names.join('\n') });
  useKeys({ Delete: () => (only ? open(...only) : button.current?.focus()) });
  const count = `${exactCount(selection.size)} selected`;
  const about = [
    ...(parts.length > 1 ? [`in ${exactCount(parts.length)} namespaces`] : []),
    ...(selection.size >= DELETE_NAMES_MAX ? ['maximum reached'] : []),
  ].join(', ');
  return (
    <>
      <p role="status" className="sr-only">
        {isSelecting && [count, about].filter(Boolean).join(', ')}
      </p>
      {isSelecting && (
        <section
          aria-label="Selection"
          className="rise-in flex min-h-11 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-line border-t bg-s1 px-[var(--gutter)] py-1.5"
        >
          <p className={`min-w-0 flex-1 ${about ? 'max-sm:basis-full' : ''}`}>
            <span className="font-[620] whitespace-nowrap">{count}</span>
            {about && <span className="text-t2"> {about}</span>}
          </p>
          <span className="flex flex-wrap gap-2 empty:hidden max-md:order-last max-md:basis-full">
            {children}
          </span>
          <span className="flex flex-wrap gap-2">
            <Button className="md:hidden" onClick={() => selectLoaded(loaded !== 'all')}>
              {loaded === 'all' ? 'None' : 'All'}
            </Button>
            {parts.length > 1 ? (
              <Menu
                trigger={
                  <Button ref={button} tone="danger-word">
                    Delete…
                    <Icon name="chevron-down" size={13} />
                  </Button>
                }
              >
                <MenuLabel>One namespace at a time</MenuLabel>
                {parts.map(([namespace, names]) => (
                  <MenuItem
                    key={namespace}
                    end={<span className="pl-4 text-12 text-t3">{plural(names.length, kind)}</span>}
                    onSelect={() => open(namespace, names)}
                  >
                    {namespace}
                  </MenuItem>
                ))}
              </Menu>
            ) : (
              <Button
                ref={button}
                tone="danger-word"
                disabled={!only}
                onClick={() => only && open(...only)}
              >
                Delete…
              </Button>
            )}
            <Button onClick={clear}>{selection.size > 0 ? 'Clear' : 'Done'}</Button>
          </span>
        </section>
      )}
      {deleting && (
        <DeleteNamesDialog
          kind={kind}
          at={{ ...deleting, way: 'names' }}
          onGone={drop}
          onClose={() => setDeleting(null)}
        />
      )}
    </>
  );
}
