/** What was observed of the lock list while nothing touched it. */
export interface ListWatch {
  samples: number;
  /** How many samples found a different order of the first rows than the previous sample. */
  moves: number;
  /** How many of these were re-ranks: no row had just begun to need an action. */
  reranks: number;
  /** The sum of all layout shifts. */
  shift: number;
  flashes: number;
  /** How often a row's state changed, other than between held and contended. */
  changes: number;
}

/** Watches the lock list, in `window.seen`. Runs in the page. */
export function watchList(): void {
  const seen: ListWatch = { samples: 0, moves: 0, reranks: 0, shift: 0, flashes: 0, changes: 0 };
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
  const actNow = ['stuck', 'orphaned', 'expired'];
  let before = '';
  let known = new Set<string>();
  let newsAt = 0;
  setInterval(() => {
    const rows = [...document.querySelectorAll<HTMLElement>('.lock-row[data-row]')];
    const ids = rows
      .sort((a, b) => Number(a.dataset.place) - Number(b.dataset.place))
      .map((row) => row.dataset.row);
    const order = ids.slice(0, 22).join(' ');
    // A row that became urgent counts as a different row.
    const now = new Set(
      rows.map(({ dataset }) => `${dataset.row} ${actNow.includes(dataset.status ?? '')}`),
    );
    seen.samples += 1;
    if ([...now].some((each) => each.endsWith(' true') && !known.has(each))) newsAt = seen.samples;
    if (before !== '' && before !== order) {
      seen.moves += 1;
      if (seen.samples - newsAt > 2) seen.reranks += 1;
    }
    before = order;
    known = now;
  }, 500);
}
