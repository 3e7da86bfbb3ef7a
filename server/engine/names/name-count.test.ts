import { expect, it } from 'vitest';
import { NameCount } from './name-count';

const lock = (name: string, namespace = 'default') => ({ namespace, name });
const counter = (name: string) => ({ ...lock(name), kind: 'counter' as const });

function counted() {
  const clock = { at: 0 };
  return { clock, names: new NameCount(() => clock.at) };
}

it('counts the names in the projection, and those created here until they are in it', () => {
  const { names } = counted();
  names.appeared(lock('a'));
  names.appeared(counter('a'));
  names.appeared(lock('a', 'billing'));
  expect(names.of('default')).toEqual({ locks: 1, counters: 1 });
  names.creating(lock('b'));
  names.creating(lock('c'));
  expect(names.total('default')).toBe(4);
  names.finished(lock('b'), true);
  names.finished(lock('c'), false);
  expect(names.total('default')).toBe(3);
  names.appeared(lock('b'));
  expect(names.total('default')).toBe(3);
  names.vanished(lock('b'));
  names.vanished(counter('a'));
  expect(names.total('default')).toBe(1);
  expect(names.total('billing')).toBe(1);
  expect(names.total('unheard-of')).toBe(0);
});

it('counts a name once if the projection has it before its write is answered', () => {
  const { names } = counted();
  for (const name of ['a', 'b']) names.creating(lock(name));
  names.appeared(lock('a'));
  expect(names.total('default')).toBe(2);
  names.finished(lock('a'), true);
  names.finished(lock('b'), true);
  expect(names.total('default')).toBe(2);
});

it('uses the projection even if nothing was created since', () => {
  const { clock, names } = counted();
  names.appeared(lock('a'));
  names.creating(lock('a'));
  names.finished(lock('a'), true);
  expect(names.total('default')).toBe(2);
  clock.at += 60_000;
  expect(names.total('default')).toBe(1);
});

it('uses the projection alone if a name created here is not in it within a minute', () => {
  const { clock, names } = counted();
  const make = (name: string) => {
    names.creating(lock(name));
    names.finished(lock(name), true);
  };
  make('gone');
  clock.at = 30_000;
  make('b');
  expect(names.total('default')).toBe(2);
  clock.at = 60_000;
  make('c');
  expect(names.total('default')).toBe(2);
});
