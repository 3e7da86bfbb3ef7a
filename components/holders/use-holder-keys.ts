import type { RefObject } from 'react';
import { useKeys } from '../live/use-keys';

/**
 * The keys of the process list: moving between processes, folding a service, and releasing
 * everything that the open process holds.
 */
export function useHolderKeys(table: RefObject<HTMLDivElement | null>): void {
  const step = (by: number) => {
    const rows = [...(table.current?.querySelectorAll<HTMLElement>('.holder-toggle') ?? [])];
    const place = rows.indexOf(document.activeElement as HTMLElement);
    const next = place === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, place + by));
    rows[next]?.focus();
  };
  const fold = (isFolded: boolean) => {
    const group = document.activeElement?.closest('tbody');
    const service = group?.querySelector<HTMLElement>('[data-service]');
    if (!service || (service.ariaExpanded === 'false') === isFolded) return false;
    service.focus();
    service.click();
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    r: () => table.current?.querySelector<HTMLElement>('[data-release-all]')?.click(),
  });
  // Elsewhere on a page of the past these lead to other instants.
  useKeys({ ArrowLeft: () => fold(true), ArrowRight: () => fold(false) }, table);
}
