import { describe, expect, it } from 'vitest';
import { freshKey } from '../../storage/conformance/testing/changes';
import { acquireCommand } from '../testing/engine-rig';
import { WaitingCall, type Wake } from './waiting-call';

describe('a call that waits', () => {
  it.each<Wake['why']>(['hungUp', 'refused', 'requestOver', 'drain', 'patience'])(
    'ends for %s, though its outcome gets doubtful before it can',
    async (why) => {
      const call = new WaitingCall(acquireCommand(freshKey(), 'w1'), ['x']);
      call.wake({ why } as Wake);
      call.wake({ why: 'uncertain' });
      expect(await call.next()).toEqual({ why });
      expect(call.isInDoubt).toBe(true);
    },
  );
});
