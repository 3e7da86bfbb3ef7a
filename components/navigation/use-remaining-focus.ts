import { useEffect } from 'react';

/**
 * If a control that was pressed by a key is removed, the section around it gets the focus (outside
 * of sections, the main part of the page), so that it is not lost to the whole page. A menu returns
 * the focus to its trigger itself, a moment after its removal.
 */
export function useRemainingFocus(): void {
  useEffect(() => {
    let removals: MutationObserver | null = null;
    const onClick = ({ target, detail }: MouseEvent) => {
      removals?.disconnect();
      const isByKey = detail === 0;
      if (!isByKey || !(target instanceof Element) || target.closest('[role="menu"]')) return;
      const section = target.closest<HTMLElement>('section, main');
      if (!section) return;
      removals = new MutationObserver((_, own) => {
        if (target.isConnected) return;
        own.disconnect();
        if (document.activeElement !== document.body) return;
        section.tabIndex = -1;
        section.focus({ preventScroll: true });
      });
      removals.observe(section, { childList: true, subtree: true });
    };
    document.addEventListener('click', onClick, { capture: true });
    return () => {
      removals?.disconnect();
      document.removeEventListener('click', onClick, { capture: true });
    };
  }, []);
}
