import { expect, test } from 'vitest';
import { silenceNamespaces } from './alert-labels';

test('a silence of an alert is of its namespace, also while the namespaces are not known', () => {
  expect(silenceNamespaces([], 'shop')).toEqual(['shop']);
  expect(silenceNamespaces(['billing', 'shop'], 'shop')).toEqual(['billing', 'shop']);
  expect(silenceNamespaces(['billing'], 'removed')).toEqual(['billing', 'removed']);
  expect(silenceNamespaces(['billing'], undefined)).toEqual(['billing']);
});
