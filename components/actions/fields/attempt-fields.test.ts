import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { AttemptFields } from './attempt-fields';

const fields = (isUnclear: boolean) => {
  const attempt = { reason: 'a deploy waits', setReason: () => undefined, isUnclear };
  return renderToString(createElement(AttemptFields, { attempt, hint: 'kept' }));
};

it('an action with an unknown outcome can only be sent again unchanged', () => {
  expect(fields(true)).toMatch(/^<fieldset disabled=""/);
  expect(fields(false)).not.toContain('disabled');
});
