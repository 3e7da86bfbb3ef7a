'use client';

import { DropdownMenu } from 'radix-ui';
import { type ReactNode, useSyncExternalStore } from 'react';
import type { IconName } from '../../icons/icon';
import { Icon } from '../../icons/icon';

const never = () => () => {};

/** The page's main part, since users who navigate by landmarks would miss a menu outside them. */
const useMain = () =>
  useSyncExternalStore(
    never,
    () => document.getElementById('main'),
    () => null,
  );

/** A menu that opens below its trigger. */
export function Menu({ trigger, children }: { trigger: ReactNode; children: ReactNode }) {
  const main = useMain();
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={main}>
        <DropdownMenu.Content
          align="start"
          sideOffset={6}
          collisionPadding={8}
          className="menu fade-in z-50 max-h-[min(420px,var(--radix-dropdown-menu-content-available-height))] min-w-44 overflow-y-auto rounded-10 border border-line2 bg-s1 p-1 shadow-xl"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
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
  return (
    <DropdownMenu.Item
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
    </DropdownMenu.Item>
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
  return (
    <DropdownMenu.CheckboxItem checked={chosen} onSelect={onSelect} className={ITEM}>
      <span className="w-4 text-acc">{chosen && <Icon name="check" size={15} />}</span>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {end && <span className="pl-4 text-12 text-t3">{end}</span>}
    </DropdownMenu.CheckboxItem>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <DropdownMenu.Label className="px-2 py-1.5 text-12 text-t3">{children}</DropdownMenu.Label>
  );
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />;
}
