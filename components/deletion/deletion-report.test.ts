import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DeletionPreview } from './deletion-report';

test('a preview without names does not speak of one: a prefix may be empty', () => {
  const preview = { matching: 0, going: 0, examples: [], kept: [] };
  const html = renderToStaticMarkup(createElement(DeletionPreview, { preview, kind: 'counter' }));
  expect(html).toContain('No counter matches.');
});
