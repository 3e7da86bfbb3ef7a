import {
  type AcquireMultiLockCommand,
  memberCommand,
} from '../../core/multi-lock/multi-lock-command';
import { recordId } from '../../storage/record-id';
import { type WaiterRegistry, WaitingCall } from './waiter-registry';

/**
 * A multi-lock's call in the waiter registry: at all of its locks while it is being decided, at one of them
 * while it waits.
 */
export class MultiLockRegistration {
  readonly call: WaitingCall;
  /** The lock where it waits, once it does. */
  waitsAt: string | null = null;
  private readonly ids: string[];

  constructor(
    private readonly waiters: WaiterRegistry,
    private readonly namespace: string,
    ask: AcquireMultiLockCommand,
  ) {
    // Only the request matters here: a multi-lock's waiter is never granted on its own.
    this.call = new WaitingCall(memberCommand(ask, 'exclusive'));
    this.ids = ask.locks.map(({ name }) => recordId({ namespace, name }));
  }

  addToAll(): void {
    this.call.queued = false;
    for (const id of this.ids) this.waiters.add(id, this.call);
  }

  keepOnly(name: string): void {
    this.waitsAt = recordId({ namespace: this.namespace, name });
    for (const id of this.ids) if (id !== this.waitsAt) this.waiters.remove(id, this.call);
    this.call.queued = true;
    this.call.wasQueued = true;
  }

  removeFromAll(): void {
    for (const id of this.ids) this.waiters.remove(id, this.call);
  }
}
