'use client';

import { visibleText } from '@/server/core/format/visible-text';
import { useSession, useSignOut } from '../live/session';
import { useOpenPage } from '../navigation/use-open-page';
import { ROLE_LABELS } from '../settings/users/role-field';
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuSeparator } from '../ui/controls/menu';
import { VisibleText } from '../ui/visible-text';
import { THEME_LABELS, THEMES, useTheme } from './theme';

const initialsOf = (name: string) =>
  name
    .split(/[\s._@-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('');

/** Who is signed in, the theme, and signing out. */
export function AccountMenu() {
  const { account } = useSession();
  const open = useOpenPage();
  const [theme, setTheme] = useTheme();
  const { signOut, failure } = useSignOut();
  const role = ROLE_LABELS[account.role].label;
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            aria-label={`Account of ${visibleText(account.name)}`}
            title={`${visibleText(account.name)} (${role.toLowerCase()})`}
            className="flex size-7 flex-none items-center justify-center rounded-full max-md:size-9 pointer-coarse:-mr-1 pointer-coarse:size-11"
          >
            <span className="flex size-7 items-center justify-center rounded-full bg-accbg text-11 font-[620] text-acc max-md:size-9">
              {initialsOf(account.name) || '?'}
            </span>
          </button>
        }
      >
        <MenuLabel>
          <span className="block max-w-56 truncate text-13 font-[550] text-t1">
            <VisibleText text={account.name} />
          </span>
          {role}
        </MenuLabel>
        <MenuSeparator />
        <MenuLabel>Theme</MenuLabel>
        {THEMES.map((choice) => (
          <MenuChoice key={choice} chosen={theme === choice} onSelect={() => setTheme(choice)}>
            {THEME_LABELS[choice]}
          </MenuChoice>
        ))}
        <MenuSeparator />
        <MenuItem icon="settings" onSelect={() => open('/settings')}>
          Settings
        </MenuItem>
        <MenuItem icon="sign-out" keepsOpen onSelect={() => void signOut()}>
          Sign out
        </MenuItem>
        {failure && (
          <MenuLabel>
            <span className="block max-w-56 text-dangertext">{failure}</span>
          </MenuLabel>
        )}
      </Menu>
      {/* Outside the menu, which may not contain an alert. */}
      {failure && (
        <span role="alert" className="sr-only">
          {failure}
        </span>
      )}
    </>
  );
}
