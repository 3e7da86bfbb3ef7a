import { expect, test } from 'vitest';
import { parseBackendUrl, parseDatabaseUrl } from './backend-url';
import { parseShardList } from './shard-list';

test('a comma after a MySQL URL is refused, and is not part of the database', () => {
  const why = 'has a comma in the name of its database; if it belongs there, write it as %2C';
  for (const text of ['mysql://root@h/a,', 'mysqls://root@h/a, ', 'mariadb://h/a,b']) {
    expect(parseDatabaseUrl(text, '/'), text).toBe(why);
    expect(parseBackendUrl(text, '/'), text).toBe(why);
  }
  expect(parseShardList('a', 'mysql://a/x,mysql://b/y,')).toBe(`names a shard that ${why}`);
  const encoded = { kind: 'mysql', url: 'mysql://h/a%2Cb' };
  expect(parseDatabaseUrl('mysql://h/a%2Cb', '/')).toEqual(encoded);
});

test.each(['mysql://root:a/b@host/x', 'mysqls://root:a?b@host/x', 'redis://:a#b@host'])(
  'a password that ends its URL too early is refused with how to write it, and not shown: %s',
  (text) => {
    const why = parseBackendUrl(text, '/');
    expect(why).toMatch(/^is not a URL; [^\n]*percent-encoded: %2F for \/[^\n]*$/);
    expect(why).not.toMatch(/a[/?#]b/);
  },
);
