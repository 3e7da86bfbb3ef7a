import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ConsoleClient } from '../live/trpc';
import { NameLocator } from './name-locator';

const locatorOf = (namespaces: string[] | null) =>
  renderToString(
    createElement(ConsoleClient, null, createElement(NameLocator, { backend: 'main', namespaces })),
  );

test('namespaces that could not be read are not said to be none', () => {
  expect(locatorOf([])).toContain('No namespaces on this backend yet.');
  expect(locatorOf(null)).not.toContain('No namespaces');
  expect(locatorOf(null)).toContain('Namespaces unknown');
  expect(locatorOf(['shop'])).toContain('>shop</option>');
});
