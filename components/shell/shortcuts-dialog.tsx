'use client';

import { useSession } from '../live/session';
import { Button } from '../ui/controls/button';
import { Dialog, DialogFoot } from '../ui/controls/dialog';
import { commandKeys } from './command/command-keys';
import { NAV_ITEMS } from './nav-rail';

type Shortcut = [keys: string[], label: string];

const globalShortcuts = (): Shortcut[] => [
  [[commandKeys(navigator.userAgent)], 'Go anywhere'],
  [['/'], 'Search'],
  [['?'], 'Show shortcuts'],
];

const PAGE_SHORTCUTS: Shortcut[] = NAV_ITEMS.map(({ key, label }) => [
  ['g', key],
  `Go to ${label}`,
]);

const LIST_SHORTCUTS: Shortcut[] = [
  [['j', '↓'], 'Next lock'],
  [['k', '↑'], 'Previous lock'],
  [['↵'], 'Open lock'],
  [['Space'], 'Preview lock'],
  [['y'], 'Copy name'],
  [['Home'], 'First lock'],
  [['End'], 'Last lock'],
  [['Esc'], 'Close preview, deselect row'],
];
const LOCK_SHORTCUTS: Shortcut[] = [
  [['i'], 'I’m on it, or step back'],
  [['a'], 'Ask to release…'],
  [['s'], 'Block renewals…'],
  [['e'], 'Extend lease…'],
  [['r'], 'Force release…'],
  [['R'], 'Reassign…'],
  [['f'], 'Freeze or unfreeze…'],
  [['x'], 'Select'],
  [['X'], 'Select range'],
  [['Del'], 'Delete selected free locks…'],
];

const HOLDER_SHORTCUTS: Shortcut[] = [
  [['j', 'k'], 'Next, previous process'],
  [['←', '→'], 'Fold, unfold service'],
];
const RELEASE_SHORTCUT: Shortcut = [['r'], 'Release all it holds…'];

const PAST_SHORTCUTS: Shortcut[] = [[['←', '→'], 'Previous, next change']];

/** All keyboard shortcuts. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { may } = useSession();
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts">
      <div className="mt-4 grid gap-x-10 gap-y-6 sm:grid-cols-2">
        <div className="flex flex-col gap-6">
          <ShortcutTable title="Lock list" shortcuts={LIST_SHORTCUTS} />
          {may('operator') && <ShortcutTable title="Selected lock" shortcuts={LOCK_SHORTCUTS} />}
          <ShortcutTable title="Looking back" shortcuts={PAST_SHORTCUTS} />
        </div>
        <div className="flex flex-col gap-6">
          <ShortcutTable title="Pages" shortcuts={PAGE_SHORTCUTS} />
          <ShortcutTable
            title="Holders"
            shortcuts={[...HOLDER_SHORTCUTS, ...(may('operator') ? [RELEASE_SHORTCUT] : [])]}
          />
          <ShortcutTable title="Everywhere" shortcuts={globalShortcuts()} />
        </div>
      </div>
      <DialogFoot>
        <Button size="large" onClick={onClose}>
          Close
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

function ShortcutTable({ title, shortcuts }: { title: string; shortcuts: Shortcut[] }) {
  return (
    <section>
      <h3 className="pb-1.5 text-12 text-t3">{title}</h3>
      <dl>
        {shortcuts.map(([keys, label]) => (
          <div key={label} className="flex h-7 items-center gap-3 border-line border-t">
            <dt className="flex w-18 shrink-0 gap-1">
              {keys.map((key) => (
                <kbd key={key} className="key">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
