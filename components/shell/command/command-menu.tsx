'use client';

import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { Children, type ReactNode, useRef, useState } from 'react';
import { visibleText } from '@/server/core/format/visible-text';
import { counterPath, lockPath } from '@/server/core/paths/console-path';
import { Icon, type IconName } from '../../icons/icon';
import { useTRPC } from '../../live/trpc';
import { useDebounced } from '../../live/use-debounced';
import { useOpenPage } from '../../navigation/use-open-page';
import { pastHref } from '../../past/past-address';
import { usePastAt } from '../../past/past-at';
import { copyText } from '../../ui/controls/copy-button';
import { STATUS_STYLES } from '../../ui/status-badge';
import { ExactName } from '../../ui/visible-text';
import { NAV_ITEMS } from '../nav-rail';
import { type CurrentLock, currentLock } from './current-lock';
import { findNote, namesWith } from './find-note';

/** How many locks, counters and namespaces are offered. */
const FOUND_MAX = 8;

/** Goes to any lock, counter, namespace or page, and acts on the current lock. */
export function CommandMenu({
  text,
  onText,
  onClose,
}: {
  text: string;
  onText: (text: string) => void;
  onClose: () => void;
}) {
  const [current] = useState(currentLock);
  const hasActed = useRef(false);
  const [isRefused, setRefused] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const sought = text.trim();
  const search = useDebounced(sought);
  const found = useFound(search);
  const isSought = (label: string) => label.toLowerCase().includes(sought.toLowerCase());
  const acts = current?.acts.filter(({ label }) => isSought(label)) ?? [];
  const mayCopy = current !== null && isSought('Copy name');
  const pages = NAV_ITEMS.filter(({ label }) => isSought(label));
  const lists = [acts, pages, found.locks, found.counters, found.namespaces];
  const isEmpty = !mayCopy && lists.every(({ length }) => length === 0);
  const note = isRefused
    ? 'Not copied: the browser does not allow copying here.'
    : findNote(found.asked, search !== sought, isEmpty);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade-in fixed inset-0 z-40 bg-[var(--scrim)]" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // Otherwise the text would be selected, and the next key would replace it.
            event.preventDefault();
            const field = input.current;
            field?.focus();
            field?.setSelectionRange(field.value.length, field.value.length);
          }}
          onCloseAutoFocus={(event) => hasActed.current && event.preventDefault()}
          className="command rise-in"
        >
          <Dialog.Title className="sr-only">Go anywhere</Dialog.Title>
          <Command shouldFilter={false} loop label="Go anywhere">
            <Command.Input
              ref={input}
              value={text}
              onValueChange={onText}
              placeholder="Lock, counter, namespace, page or action"
              className="command-input"
            />
            <Command.List className="command-list">
              {note && (
                <p role="status" className="px-3 py-6 text-t2">
                  {note}
                </p>
              )}
              {current && (acts.length > 0 || mayCopy) && (
                <LockActs
                  name={current.row.name}
                  acts={acts}
                  mayCopy={mayCopy}
                  onAct={(run) => {
                    hasActed.current = true;
                    onClose();
                    run();
                  }}
                  onCopied={(isCopied) => (isCopied ? onClose() : setRefused(true))}
                />
              )}
              <Places found={found} pages={pages} onClose={onClose} />
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function LockActs({
  name,
  acts,
  mayCopy,
  onAct,
  onCopied,
}: {
  name: string;
  acts: CurrentLock['acts'];
  mayCopy: boolean;
  onAct: (run: () => void) => void;
  onCopied: (isCopied: boolean) => void;
}) {
  return (
    <Group heading={`On ${visibleText(name)}`}>
      {acts.map(({ label, run }) => (
        <Item key={label} value={`act ${label}`} icon="hand" onSelect={() => onAct(run)}>
          {label}
        </Item>
      ))}
      {mayCopy && (
        <Item value="act copy" icon="copy" onSelect={() => void copyText(name).then(onCopied)}>
          Copy name
        </Item>
      )}
    </Group>
  );
}

/** The locks, counters, namespaces and pages that were found. */
function Places({
  found: { locks, counters, namespaces },
  pages,
  onClose,
}: {
  found: ReturnType<typeof useFound>;
  pages: typeof NAV_ITEMS;
  onClose: () => void;
}) {
  const open = useOpenPage();
  const at = usePastAt();
  const goTo = (path: string) => () => {
    onClose();
    open(path);
  };
  return (
    <>
      <Group heading="Locks">
        {locks.map(({ id, namespace, name, status }) => (
          <Item
            key={id}
            value={`lock ${id}`}
            icon={STATUS_STYLES[status].icon}
            ink={STATUS_STYLES[status].ink}
            end={namespace}
            onSelect={goTo(lockPath(namespace, name))}
          >
            <ExactName name={name} />
          </Item>
        ))}
      </Group>
      <Group heading="Counters">
        {counters.map(({ id, namespace, name }) => (
          <Item
            key={id}
            value={`counter ${id}`}
            icon="counter"
            end={namespace}
            onSelect={goTo(counterPath(namespace, name))}
          >
            <ExactName name={name} />
          </Item>
        ))}
      </Group>
      <Group heading="Namespaces">
        {namespaces.map((namespace) => (
          <Item
            key={namespace}
            value={`namespace ${namespace}`}
            icon="layers"
            onSelect={goTo(`/?namespace=${encodeURIComponent(namespace)}`)}
          >
            {namespace}
          </Item>
        ))}
      </Group>
      <Group heading="Pages">
        {pages.map(({ href, label, icon }) => (
          <Item key={href} value={`page ${href}`} icon={icon} onSelect={goTo(pastHref(href, at))}>
            {label}
          </Item>
        ))}
      </Group>
    </>
  );
}

function useFound(search: string) {
  const trpc = useTRPC();
  const enabled = search !== '';
  const locks = useQuery({
    ...trpc.locks.list.queryOptions({ search, limit: FOUND_MAX }),
    enabled,
  });
  const counters = useQuery({
    ...trpc.counters.list.queryOptions({ search, limit: FOUND_MAX }),
    enabled,
  });
  const namespaces = useQuery({ ...trpc.namespaces.list.queryOptions(), enabled });
  if (!enabled) return { locks: [], counters: [], namespaces: [], asked: [] };
  const names = namesWith(namespaces.data?.map(({ name }) => name) ?? [], search);
  return {
    locks: locks.data?.rows ?? [],
    counters: counters.data?.rows ?? [],
    namespaces: names.slice(0, FOUND_MAX),
    asked: [locks, counters, namespaces],
  };
}

/** Renders nothing without items. */
function Group({ heading, children }: { heading: string; children: ReactNode }) {
  if (Children.count(children) === 0) return null;
  return (
    <Command.Group heading={heading} className="command-group">
      {children}
    </Command.Group>
  );
}

function Item({
  value,
  icon,
  ink = 'text-t2',
  end,
  onSelect,
  children,
}: {
  value: string;
  icon: IconName;
  ink?: string;
  end?: string;
  onSelect: () => void;
  children: ReactNode;
}) {
  return (
    <Command.Item value={value} onSelect={onSelect} className="command-item">
      <Icon name={icon} size={15} className={ink} />
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {end && <span className="shrink-0 text-12 text-t3">{end}</span>}
    </Command.Item>
  );
}
