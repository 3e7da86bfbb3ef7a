import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ConsoleClient } from '../live/trpc';
import { NameLocator } from './name-locator';

const locatorOf = (namespaces: string[] | null) =>
  renderToString(
    createElement(ConsoleClient, null, createElement(NameLocator, { backend: 'main', namespaces })),
  );

test('it does not say that there are no namespaces if they could not be read', () => {
  expect(locatorOf([])).toContain('No namespaces on this backend yet.');
  expect(locatorOf(null)).not.toContain('No namespaces');
  expect(locatorOf(null)).toContain('Namespaces unknown');
  expect(locatorOf(['shop'])).toContain('>shop</option>');
});
