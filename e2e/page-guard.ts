import type { Page } from 'playwright/test';

/**
 * Notes what must never happen on a page: errors in its console, breaches of its security policy,
 * and requests to any host but its own. The returned function reads the notes.
 */
export async function guardPage(page: Page, origin: string): Promise<() => string[]> {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const { url } = message.location();
    // A page that a busy server refused to load ahead is loaded when its link is followed.
    if (url.includes('?_rsc=') && message.text().includes('status of 503')) return;
    faults.push(`console: ${message.text()} (${url})`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !['data:', 'blob:'].includes(url.protocol)) {
      faults.push(`request: ${request.url()}`);
    }
  });
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      console.error(`policy: ${effectiveDirective} forbids ${blockedURI}`);
    });
  });
  return () => faults;
}
