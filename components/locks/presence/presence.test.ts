import { expect, it } from 'vitest';
import { presenceOf } from './presence';

const ana = { namespace: 'default', name: 'job', token: 7, actor: 'Ana', at: 1, until: 2 };

it('who is on a lock now is not shown in the past', () => {
  expect(presenceOf([ana], false).get('default/job')).toBe(ana);
  expect(presenceOf([ana], true).size).toBe(0);
  expect(presenceOf(undefined, false).size).toBe(0);
});
