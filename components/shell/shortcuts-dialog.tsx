'use client';

import { useState } from 'react';
import { useSession } from '../live/session';
import { useKeys } from '../live/use-keys';
import { Dialog } from '../ui/controls/dialog';

type Shortcut = [keys: string[], label: string];

const GLOBAL_SHORTCUTS: Shortcut[] = [
  [['/'], 'Search'],
  [['?'], 'Show shortcuts'],
  [['g'], 'Go to Locks'],
];
const LIST_SHORTCUTS: Shortcut[] = [
  [['j', '↓'], 'Next lock'],
  [['k', '↑'], 'Previous lock'],
  [['↵'], 'Open lock'],
  [['Home'], 'First lock'],
  [['End'], 'Last lock'],
  [['Esc'], 'Deselect row'],
];
const LOCK_SHORTCUTS: Shortcut[] = [
  [['i'], 'I’m on it, or step back'],
  [['e'], 'Extend lease…'],
  [['r'], 'Force release…'],
  [['R'], 'Reassign…'],
  [['x'], 'Select, if free'],
  [['X'], 'Select range'],
  [['Del'], 'Delete selected…'],
];

/** All keyboard shortcuts, opened with `?`. */
export function ShortcutsDialog({ onHome }: { onHome: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const { may } = useSession();
  useKeys({ '?': () => setOpen(true), g: onHome });
  return (
    <Dialog open={isOpen} onClose={() => setOpen(false)} title="Keyboard shortcuts">
      <div className="mt-4 grid gap-x-10 gap-y-6 sm:grid-cols-2">
        <ShortcutTable title="Lock list" shortcuts={LIST_SHORTCUTS} />
        <div className="flex flex-col gap-6">
          <ShortcutTable title="Everywhere" shortcuts={GLOBAL_SHORTCUTS} />
          {may('operator') && <ShortcutTable title="Selected lock" shortcuts={LOCK_SHORTCUTS} />}
        </div>
      </div>
    </Dialog>
  );
}

function ShortcutTable({ title, shortcuts }: { title: string; shortcuts: Shortcut[] }) {
  return (
    <section>
      <h3 className="pb-1.5 text-12 text-t3">{title}</h3>
      <dl>
        {shortcuts.map(([keys, label]) => (
          <div key={label} className="flex h-8 items-center gap-3 border-line border-t">
            <dt className="flex w-16 shrink-0 gap-1">
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
