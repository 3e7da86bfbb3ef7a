import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { LockDetail, LockRow } from '@/server/contract/console/lock-row';
import { HolderPanel } from './holder-panel';

function panelOf(part: Partial<LockRow>): string {
  const row = { backend: 'main', hold: null, ended: null, ...part };
  const detail = { row, holds: [] } as unknown as LockDetail;
  return renderToString(
    createElement(HolderPanel, { detail, chosen: null, onChoose: () => undefined }),
  );
}

test('a lock of unknown state is never shown as not held', () => {
  expect(panelOf({ status: 'free' })).toContain('Not held.');
  expect(panelOf({ status: 'unknown' })).toContain('Holder unknown: backend not responding.');
  const unreadable = panelOf({ status: 'unknown', unreadable: 'It is no JSON.' });
  expect(unreadable).toContain('Holder unknown: record unreadable.');
  expect(unreadable).not.toContain('Not held.');
});
