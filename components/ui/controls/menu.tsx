'use client';

import {
  cloneElement,
  createContext,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { Icon, type IconName } from '../../icons/icon';
import { LoadingNote } from '../../navigation/lazy-dialog';
import { useLoaded, useLoadedEarly } from '../../navigation/use-loaded';
import type { MenuParts as Parts } from '../menu/menu-parts';

const loadParts = () => import('../menu/menu-parts').then((all) => all.MenuParts);
const LOADERS = [loadParts];

const PartsContext = createContext<typeof Parts | null>(null);

/** The parts of menus, which are loaded in every menu that is open. */
function useParts(): typeof Parts {
  const parts = useContext(PartsContext);
  if (!parts) throw new Error('A part of a menu is outside a menu.');
  return parts;
}

const never = () => () => {};

/** The page's main part, since users who navigate by landmarks would miss a menu outside them. */
const useMain = () =>
  useSyncExternalStore(
    never,
    () => document.getElementById('main'),
    () => null,
  );

/**
 * A menu that opens below its trigger, a button. The parts of menus are loaded at the first key or
 * press on the page, or when a menu is opened; until then a menu is only its trigger.
 */
export function Menu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  const [openedBy, setOpenedBy] = useState<'pointer' | 'key' | null>(null);
  const { part: parts, isFailing } = useLoaded(loadParts, openedBy !== null);
  useLoadedEarly(LOADERS, parts === null);
  const id = useId();
  if (parts) {
    return (
      <PartsContext value={parts}>
        <LoadedMenu trigger={trigger} isByKey={openedBy === 'key'}>
          {children}
        </LoadedMenu>
      </PartsContext>
    );
  }
  return (
    <>
      {cloneElement(trigger as ReactElement<Record<string, unknown>>, {
        id,
        'aria-haspopup': 'menu',
        'aria-expanded': false,
        // A key and a screen reader press a button without a pointer.
        onClick: ({ detail }: MouseEvent) => setOpenedBy(detail === 0 ? 'key' : 'pointer'),
        onKeyDown: (event: KeyboardEvent) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          setOpenedBy('key');
        },
      })}
      {isFailing && <LoadingNote onClose={() => setOpenedBy(null)} />}
    </>
  );
}

/** A menu whose parts are loaded. It opens immediately, since they were loaded to open it. */
function LoadedMenu({
  trigger,
  isByKey,
  children,
}: {
  trigger: ReactNode;
  /** Its first item then has the focus, as at every later time. */
  isByKey: boolean;
  children: ReactNode;
}) {
  const { Root, Trigger, Portal, Content } = useParts();
  const main = useMain();
  const content = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only on mounting
  useEffect(() => {
    if (isByKey)
      content.current?.querySelector<HTMLElement>('[data-radix-collection-item]')?.focus();
  }, []);
  return (
    <Root modal={false} defaultOpen>
      <Trigger asChild>{trigger}</Trigger>
      <Portal container={main}>
        <Content
          ref={content}
          align="start"
          sideOffset={6}
          collisionPadding={8}
          className="menu fade-in z-50 max-h-[min(420px,var(--radix-dropdown-menu-content-available-height))] min-w-44 overflow-y-auto rounded-10 border border-line2 bg-s1 p-1 shadow-xl"
        >
          {children}
        </Content>
      </Portal>
    </Root>
  );
}

const ITEM =
  'flex min-h-8 pointer-coarse:min-h-11 cursor-pointer items-center gap-2 rounded-6 px-2 ' +
  'text-13 text-t1 outline-none select-none data-[highlighted]:bg-s3 ' +
  'data-[disabled]:cursor-default data-[disabled]:text-t3';

export function MenuItem({
  icon,
  end,
  isDisabled = false,
  keepsOpen = false,
  onSelect,
  children,
}: {
  icon?: IconName;
  end?: ReactNode;
  isDisabled?: boolean;
  /** The menu stays, to say how it went. */
  keepsOpen?: boolean;
  onSelect: () => void;
  children: ReactNode;
}) {
  const { Item } = useParts();
  return (
    <Item
      disabled={isDisabled}
      onSelect={(event) => {
        if (keepsOpen) event.preventDefault();
        onSelect();
      }}
      className={ITEM}
    >
      {icon && <Icon name={icon} size={15} className="text-t2" />}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {end}
    </Item>
  );
}

/** One of several, with a tick at the one that is chosen. */
export function MenuChoice({
  chosen,
  end,
  onSelect,
  children,
}: {
  chosen: boolean;
  end?: ReactNode;
  onSelect: () => void;
  children: ReactNode;
}) {
  const { CheckboxItem } = useParts();
  return (
    <CheckboxItem checked={chosen} onSelect={onSelect} className={ITEM}>
      <span className="w-4 text-acc">{chosen && <Icon name="check" size={15} />}</span>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {end && <span className="pl-4 text-12 text-t3">{end}</span>}
    </CheckboxItem>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  const { Label } = useParts();
  return <Label className="px-2 py-1.5 text-12 text-t3">{children}</Label>;
}

export function MenuSeparator() {
  const { Separator } = useParts();
  return <Separator className="my-1 h-px bg-line" />;
}
