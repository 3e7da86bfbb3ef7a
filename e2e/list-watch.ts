/** What was seen of the lock list while it was left alone. */
export interface ListWatch {
  samples: number;
  /** How many samples found another order of the first rows than the one before. */
  moves: number;
  /** The sum of all layout shifts. */
  shift: number;
  flashes: number;
  /** How often a row's state changed, other than between held and contended. */
  changes: number;
}

/** Watches the lock list, in `window.seen`. Runs in the page. */
export function watchList(): void {
  const seen: ListWatch = { samples: 0, moves: 0, shift: 0, flashes: 0, changes: 0 };
  Object.assign(window, { seen });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      seen.shift += (entry as unknown as { value: number }).value;
  }).observe({ type: 'layout-shift' });
  const word = (status: string | null) => (status === 'contended' ? 'held' : status);
  new MutationObserver((mutations) => {
    for (const { type, target, oldValue, addedNodes } of mutations) {
      const row = target as HTMLElement;
      if (type === 'attributes' && word(oldValue) !== word(row.dataset.status ?? null)) {
        seen.changes += 1;
      }
      for (const node of addedNodes) {
        if (node instanceof HTMLElement && node.matches('.row-flash')) seen.flashes += 1;
      }
    }
  }).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['data-status'],
    attributeOldValue: true,
  });
  let before = '';
  setInterval(() => {
    const rows = [...document.querySelectorAll<HTMLElement>('.lock-row[data-row]')];
    const order = rows
      .sort((a, b) => Number(a.dataset.place) - Number(b.dataset.place))
      .slice(0, 22)
      .map((row) => row.dataset.row)
      .join(' ');
    if (before !== '' && before !== order) seen.moves += 1;
    before = order;
    seen.samples += 1;
  }, 500);
}
