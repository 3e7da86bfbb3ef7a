import { createHmac } from 'node:crypto';

/**
 * The signature headers of Standard Webhooks 1.0, which prove the origin of a message and when it
 * was sent.
 *
 * @param id of the message, the same for every attempt
 * @param now epoch milliseconds
 */
export function signedHeaders(
  key: Buffer,
  { id, body, now }: { id: string; body: string; now: number },
): Record<string, string> {
  const seconds = String(Math.floor(now / 1_000));
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
}
