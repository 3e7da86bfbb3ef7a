import { describe, expect, test } from 'vitest';
import { checkUserName } from './user-name-rules';

const USERS = ['Ana', 'ian', 'margarethe', 'Müller', 'Анна', 'o10', 'bill.gray'];

const reasonFor = (name: string): string | null => {
  try {
    checkUserName(name, USERS);
    return null;
  } catch (error) {
    return (error as { reason: string }).reason;
  }
};

describe('a name for a new user', () => {
  test.each([
    'Jo',
    'Lan',
    'Muller',
    'ana maria',
    'an',
    'Анна Б',
    '李雷',
    'Ζωή',
    'systems',
    'José',
    'operator',
  ])('%s is a name like any other', (name) => expect(reasonFor(name)).toBeNull());

  test.each([
    'Lockyard',
    'lockyard',
    'LOCKYARD',
    'L0ckyard',
    'Lockyard Bot',
    'the-lockyard.server',
    'Iockyard',
    'command line',
    'Command Line',
    'command-line',
    'commandline',
    'Restore',
    're-shard',
    'cornmand line',
    'System',
    'server',
    'unknown',
    'Ｌｏｃｋｙａｒｄ',
  ])('%s imitates the system', (name) => expect(reasonFor(name)).toBe('INVALID'));

  test.each([
    'ana',
    'ANA',
    'aNa',
    'Ian',
    'IAN',
    'rnargarethe',
    'MÜLLER',
    'müller',
    'анна',
    'ol0',
    'O10',
    'biII.gray',
    'Ａna',
  ])('%s imitates another user', (name) => expect(reasonFor(name)).toBe('CONFLICT'));

  test.each(['Аna', 'mаrgarethe', 'Ana Анна', 'αna'])('%s mixes alphabets', (name) =>
    expect(reasonFor(name)).toBe('INVALID'),
  );

  test('in another alphabet is compared with the names that it looks like', () => {
    expect(reasonFor('Иван')).toBeNull();
    expect(() => checkUserName('АВС', ['ABC'])).toThrow(/looks like the existing user "ABC"/);
  });

  test('that already exists exactly is left to the unique index', () => {
    expect(reasonFor('Ana')).toBeNull();
  });
});
