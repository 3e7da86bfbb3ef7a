import type { Locator } from 'playwright/test';

/** By how many pixels the text of an element exceeds what clips it: to the right, and below. */
export function cutOf(element: Locator): Promise<[right: number, below: number]> {
  return element.evaluate((within) => {
    const cut: [number, number] = [0, 0];
    const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(text);
      const box = range.getBoundingClientRect();
      for (let part = text.parentElement; part; part = part.parentElement) {
        if (getComputedStyle(part).overflow === 'visible') continue;
        const limit = part.getBoundingClientRect();
        cut[0] = Math.max(cut[0], Math.round(box.right - limit.right));
        cut[1] = Math.max(cut[1], Math.round(box.bottom - limit.bottom));
      }
    }
    return cut;
  });
}
