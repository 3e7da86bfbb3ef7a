import { expect, it } from 'vitest';
import { isPortBlocked } from './blocked-port';

/** Why `fetch` cannot connect to a port of this machine; null: it can. */
async function failureAt(port: number): Promise<string | null> {
  try {
    await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1_000) });
    return null;
  } catch (error) {
    return String((error as { cause?: Error }).cause?.message);
  }
}

it('a port is reported as blocked exactly if fetch refuses it', async () => {
  const isBlocked = (port: number) => isPortBlocked(new URL(`http://h:${port}/`));
  const ports = Array.from({ length: 11_000 }, (_, i) => i + 1);
  const blocked = ports.filter(isBlocked);
  expect(blocked.length).toBeGreaterThan(50);
  for (const port of blocked) expect(await failureAt(port), String(port)).toBe('bad port');
  for (const port of [80, 443, 3000, 8080, 9093]) {
    expect(isBlocked(port)).toBe(false);
    expect(await failureAt(port)).not.toBe('bad port');
  }
});
