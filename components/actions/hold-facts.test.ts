import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { LastRenewal } from './hold-facts';
import type { HoldSnapshot } from './hold-snapshot';

const renewal = { leaseMs: 10_000, renewedAt: -1e15, renewals: 3, meta: {} };

function renewalOf(hold: object): string {
  const side = { hold: { ...hold, renewal } } as unknown as HoldSnapshot;
  return renderToString(createElement(LastRenewal, { side, keeper: { backend: 'main' } }));
}

test("a dialog never contradicts what it says elsewhere about a holder's process", () => {
  expect(renewalOf({})).toContain('the process may be dead');
  for (const state of ['alive', 'dead', 'unknown']) {
    expect(renewalOf({ liveness: { state } })).not.toContain('may be dead');
  }
});
