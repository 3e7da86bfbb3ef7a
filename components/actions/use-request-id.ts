import { useState } from 'react';

const ID_BYTES = 12;

/**
 * The request id of what a dialog does, the same however often its button is pressed: an act whose
 * answer got lost is not done twice.
 *
 * @param seen what the act rests on, such as the token of a hold: on another one it is another act
 */
export function useRequestId(seen: string | number = ''): string {
  const [dialog] = useState(randomId);
  return `${dialog}-${seen}`;
}

/** Not `randomUUID`, which browsers have on secure addresses alone. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
