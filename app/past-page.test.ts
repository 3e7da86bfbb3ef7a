import { TRPCClientError } from '@trpc/client';
import { expect, test } from 'vitest';
import { pastPage } from './past-page';

const refused = (reason: string, message: string) =>
  TRPCClientError.from({ error: { code: -32_000, message, data: { reason } } });

test('a past page of something that does not exist is 404, like the present page', async () => {
  const params = new URLSearchParams({ at: '1795222867000' });
  const show = () => Promise.reject(refused('NOT_FOUND', 'There is no namespace "shop".'));
  const page = pastPage(params, '/locks/shop/a', show);
  await expect(page).rejects.toMatchObject({ digest: 'NEXT_HTTP_ERROR_FALLBACK;404' });
});

test('any other error of a page of the past is thrown', async () => {
  const params = new URLSearchParams({ at: '1795222867000' });
  const failure = refused('BACKEND_DOWN', 'The control database does not respond.');
  await expect(pastPage(params, '/', () => Promise.reject(failure))).rejects.toBe(failure);
});
