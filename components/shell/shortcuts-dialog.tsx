'use client';

import { useState } from 'react';
import { useSession } from '../live/session';
import { useKeys } from '../live/use-keys';
import { Dialog } from '../ui/controls/dialog';

const GLOBAL_SHORTCUTS: [string[], string][] = [
  [['/'], 'search'],
  [['?'], 'this list'],
  [['g'], 'back to the locks'],
];
const LIST_SHORTCUTS: [string[], string][] = [
  [['j', '↓'], 'next lock'],
  [['k', '↑'], 'previous lock'],
  [['↵'], 'open the lock'],
  [['Home'], 'first lock'],
  [['End'], 'last lock'],
  [['Esc'], 'let go of the row'],
];
const LOCK_SHORTCUTS: [string[], string][] = [
  [['e'], 'extend the lock…'],
  [['r'], 'release the lock…'],
  [['x'], 'select the lock, if it is free'],
  [['X'], 'select all from the last one to here'],
  [['Del'], 'delete what is selected…'],
];

/** Every key there is, behind `?`. */
export function ShortcutsDialog({ onHome }: { onHome: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const { may } = useSession();
  useKeys({ '?': () => setOpen(true), g: onHome });
  return (
    <Dialog open={isOpen} onClose={() => setOpen(false)} title="Keys">
      <div className="mt-4 grid gap-x-10 gap-y-6 sm:grid-cols-2">
        <ShortcutTable title="In the list of locks" keys={LIST_SHORTCUTS} />
        <div className="flex flex-col gap-6">
          <ShortcutTable title="Everywhere" keys={GLOBAL_SHORTCUTS} />
          {may('operator') && <ShortcutTable title="On a lock" keys={LOCK_SHORTCUTS} />}
        </div>
      </div>
    </Dialog>
  );
}

function ShortcutTable({ title, keys }: { title: string; keys: [string[], string][] }) {
  return (
    <section>
      <h3 className="pb-1.5 text-12 text-t3">{title}</h3>
      <dl>
        {keys.map(([names, word]) => (
          <div key={word} className="flex h-8 items-center gap-3 border-line border-t">
            <dt className="flex w-16 shrink-0 gap-1">
              {names.map((name) => (
                <kbd key={name} className="key">
                  {name}
                </kbd>
              ))}
            </dt>
            <dd>{word}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
