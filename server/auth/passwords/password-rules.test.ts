import { dictionary } from '@zxcvbn-ts/language-common';
import { describe, expect, test } from 'vitest';
import { PASSWORD_COST_BITS } from './password-cost-bits';
import { hashPassword, verifyPassword } from './password-hash';
import { checkPassword } from './password-rules';

describe('passwords', () => {
  test.each([
    'correct battery horse stapler 9',
    'vJ2%kd8@Lq!m',
    'ein langer Satz über Kühe',
    '日本語のパスワードを十二文字',
    '            x4tz9q  ',
    `${'a'.repeat(50)}bcdefghij klm nop`,
    'orange guitar winter horses',
    'seven green kites over Oslo',
    'correct horse battery',
  ])('%j is good enough, as it is', (password) => {
    expect(() => checkPassword(password, 'ana')).not.toThrow();
  });

  test.each([
    'short',
    'elevenchars',
    'aaaaaaaaaaaaaaaa',
    'abababababababab',
    'password1234',
    'Password2026!',
    'lockyardlockyard',
    'LockyardAdmin1',
    '123456789012345',
    'qwertyuiop123',
    'correcthorsebatterystaple',
    'changemechangeme',
    'administrator1',
    'margarethe-2026',
    'Summer2026Summer',
    'iloveyou12345',
    'samantha123456',
    'Liverpool1987',
    'mercedes-porsche',
    'TINKERBELL!!11',
    'B4ttl3f13ld2000',
    'chelseachelsea',
    'q1w2e3r4t5y6',
  ])('%j is refused', (password) => {
    expect(() => checkPassword(password, 'Margarethe')).toThrow(
      expect.objectContaining({ reason: 'INVALID' }),
    );
  });

  test('with halves of characters are refused: all such halves would be stored alike', () => {
    expect(() => checkPassword('\ud800\ud801\ud802\ud803 green kites', 'ana')).toThrow(
      'The password must be well-formed Unicode.',
    );
  });

  test('are compared with over 3,000 common ones, in any case and with a common ending', () => {
    const common = dictionary['passwords-common'];
    expect(common.length).toBeGreaterThan(3_000);
    const isRefused = (password: string) => {
      try {
        checkPassword(password, 'ana');
        return false;
      } catch {
        return true;
      }
    };
    const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
    const words = common.filter((word, at) => word.length >= 7 && (at < 8_000 || word.length > 11));
    expect(words.length).toBeGreaterThan(3_000);
    const variants = (word: string) => [
      ...(word.length >= 12 ? [word, word.toUpperCase(), capital(word)] : []),
      `${capital(word)}1234!`.padEnd(12, '!'),
      word + word,
    ];
    expect(words.flatMap(variants).filter((password) => !isRefused(password))).toEqual([]);
  });

  test('are stored as scrypt hashes with individual salts, and compared exactly', async () => {
    const password = 'Käse 🧀 and letters';
    const [first, second] = await Promise.all([hashPassword(password), hashPassword(password)]);
    expect(first).not.toBe(second);
    expect(first).toMatch(/^scrypt\$\d+\$[\w-]{22}\$[\w-]{43}$/);
    expect(await verifyPassword(password, first)).toBe(true);
    expect(await verifyPassword(`${password} `, first)).toBe(false);
    expect(await verifyPassword(password.normalize('NFD'), first)).toBe(false);
    expect(await verifyPassword(password, null)).toBe(false);
    expect(await verifyPassword('', null)).toBe(false);
  });

  test('are hashed off the event loop', async () => {
    // What is hashed here costs little; `server/cli` proves that a program hashes at this cost.
    expect(PASSWORD_COST_BITS).toBe(16);
    const costly = ['scrypt', PASSWORD_COST_BITS, 'A'.repeat(22), 'A'.repeat(43)].join('$');
    let turns = 0;
    const watch = setInterval(() => {
      turns += 1;
    }, 1);
    await verifyPassword('a whole guess', costly);
    clearInterval(watch);
    expect(turns).toBeGreaterThan(2);
  });

  test('are verified few at a time, and too many at once are refused', async () => {
    const cheap = ['scrypt', 10, 'A'.repeat(22), 'A'.repeat(43)].join('$');
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => verifyPassword(`guess ${index}`, cheap)),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]).toMatchObject({ reason: { reason: 'RATE_LIMITED', retryAfterMs: 2_000 } });
    expect(await verifyPassword('another', cheap)).toBe(false);
  });
});
