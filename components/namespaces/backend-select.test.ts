import { type ComponentProps, createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { BackendSelect } from './backend-select';

const choiceOf = (props: ComponentProps<typeof BackendSelect>) =>
  renderToString(createElement(BackendSelect, props));

test('a choice that offers only one backend says that the others could not be loaded', () => {
  const choice = choiceOf({ backends: undefined, isFailing: true });
  expect(choice).toMatch(/<option value="default"[^>]*>default</);
  expect(choice).toMatch(/aria-describedby="(.*?)".*id="\1"[^>]*>The other backends could not be/);
  expect(choiceOf({ backends: undefined, isFailing: false })).not.toContain('could not be loaded');
});

test('every backend that is known can be chosen', () => {
  const known = [
    { id: 'default', kind: 'sqlite' },
    { id: 'orders', kind: 'redis' },
  ];
  const choice = choiceOf({ backends: known, isFailing: false });
  expect(choice).toContain('default (SQLite, embedded)');
  expect(choice).toContain('<option value="orders">orders (Redis)');
});
