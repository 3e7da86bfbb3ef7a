import { expect, test } from 'vitest';
import { withFileFrom } from './file-words.mjs';

test.each([
  ['backup b.gz', 'backup /home/ana/b.gz'],
  ['backup --force b.gz', 'backup --force /home/ana/b.gz'],
  ['backup /srv/b.gz --json', 'backup /srv/b.gz --json'],
  ['backup -', 'backup -'],
  ['restore --quiet 5m b.gz', 'restore --quiet 5m /home/ana/b.gz'],
  ['restore --quiet=5m ../b.gz --replace', 'restore --quiet=5m /home/b.gz --replace'],
  ['apply -f w.yaml', 'apply -f /home/ana/w.yaml'],
  ['apply --dry-run --file w.yaml', 'apply --dry-run --file /home/ana/w.yaml'],
  ['apply --file=w.yaml --prune', 'apply --file=/home/ana/w.yaml --prune'],
  ['apply -fw.yaml', 'apply -f/home/ana/w.yaml'],
  ['apply -f - --json', 'apply -f - --json'],
  ['apply --file=-', 'apply --file=-'],
  ['--json backup b.gz', '--json backup /home/ana/b.gz'],
  ['--json apply -f w.yaml', '--json apply -f /home/ana/w.yaml'],
  ['--json --create', '--json --create'],
  ['keys create --name b.gz', 'keys create --name b.gz'],
])('the file of "%s" is in the folder of the caller: "%s"', (given, meant) => {
  expect(withFileFrom(given.split(' '), '/home/ana').join(' ')).toBe(meant);
});

test('an empty list stays empty', () => expect(withFileFrom([], '/home/ana')).toEqual([]));
