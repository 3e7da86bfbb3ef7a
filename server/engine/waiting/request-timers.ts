import type { WaitOptions } from '../lock-engine';
import type { WaitingCall } from './waiter-registry';

/**
 * Ends a call's wait when its request has been open for long enough, or its caller hung up. Answers
 * how to stop that.
 */
export function startRequestTimers(call: WaitingCall, wait: WaitOptions): () => void {
  const timer = setTimeout(() => call.wake({ why: 'requestOver' }), wait.holdRequestMs);
  const hangUp = () => call.wake({ why: 'hungUp' });
  wait.signal?.addEventListener('abort', hangUp, { once: true });
  if (wait.signal?.aborted) hangUp();
  return () => {
    clearTimeout(timer);
    wait.signal?.removeEventListener('abort', hangUp);
  };
}
