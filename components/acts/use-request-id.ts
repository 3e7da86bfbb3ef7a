import { useState } from 'react';

const ID_BYTES = 12;

/**
 * The request id of what a dialog does, the same however often its button is pressed: an act whose answer got lost is not
 * done twice. Another hold is another act.
 *
 * @param token of the hold that the act is on, where it is on one
 */
export function useRequestId(token?: number): string {
  const [dialog] = useState(randomId);
  return token === undefined ? dialog : `${dialog}-${token}`;
}

/** Not `randomUUID`, which browsers have on secure addresses alone. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
