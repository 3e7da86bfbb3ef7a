import type { WaitOptions } from '../lock-engine';
import type { WaitingCall } from './waiter-registry';

/**
 * Ends a call's wait when its request has been open for long enough, or its caller hung up. Answers
 * how to stop that.
 */
export function startRequestClocks(call: WaitingCall, wait: WaitOptions): () => void {
  const request = setTimeout(() => call.wake({ why: 'requestOver' }), wait.holdRequestMs);
  const hangUp = () => call.wake({ why: 'hungUp' });
  wait.signal?.addEventListener('abort', hangUp, { once: true });
  if (wait.signal?.aborted) hangUp();
  return () => {
    clearTimeout(request);
    wait.signal?.removeEventListener('abort', hangUp);
  };
}
