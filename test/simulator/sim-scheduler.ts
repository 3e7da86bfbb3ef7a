/**
 * The process that a task belongs to. The tasks of a dead process never run; those of a stopped one
 * run late.
 */
export class SimOwner {
  isDead = false;
  stoppedUntil = 0;
}

class Task {
  isCancelled = false;

  constructor(
    public at: number,
    /** Random: the order of tasks at the same instant is undefined. */
    readonly order: number,
    readonly owner: SimOwner | null,
    readonly run: () => void,
  ) {}

  // Further methods of Node's timers.
  unref = () => this;
  ref = () => this;
  hasRef = () => true;
}

const realSetImmediate = globalThis.setImmediate;

/**
 * Resolves after any chain of promises: the real event loop turns only once none is left to run.
 */
const microtasksDone = () => new Promise<void>((resolve) => realSetImmediate(resolve));

/**
 * Time that advances only when no task is left to run, in an order that the random numbers decide:
 * the same numbers give the same order. While installed, it drives `setTimeout`, `setInterval` and
 * `setImmediate`; a timer belongs to the owner of the task that set it.
 */
export class SimScheduler {
  /** Milliseconds since the simulation began. */
  now = 0;
  /** Tasks run so far. */
  steps = 0;
  private current: SimOwner | null = null;
  private readonly heap: Task[] = [];

  constructor(private readonly random: () => number) {}

  after(ms: number, owner: SimOwner | null, run: () => void): Task {
    const task = new Task(this.now + Math.max(0, ms), this.random(), owner, run);
    this.push(task);
    return task;
  }

  /** Waits on behalf of the simulated world itself, whichever process is running. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, null, resolve));
  }

  /** Runs `work` immediately as a task of `owner`; the tasks that it plans are `owner`'s. */
  as<T>(owner: SimOwner | null, work: () => T): T {
    const before = this.current;
    this.current = owner;
    try {
      return work();
    } finally {
      this.current = before;
    }
  }

  /** Runs what is due until `isUnmounted`, or until nothing is left to do. */
  async run(isOver: () => boolean): Promise<void> {
    await microtasksDone();
    while (!isOver()) {
      const task = this.pop();
      if (!task) return;
      const { owner } = task;
      if (task.isCancelled || owner?.isDead) continue;
      this.now = Math.max(this.now, task.at);
      if (owner && owner.stoppedUntil > this.now) {
        task.at = owner.stoppedUntil;
        this.push(task);
        continue;
      }
      this.steps += 1;
      this.current = owner;
      task.run();
      await microtasksDone();
      this.current = null;
    }
  }

  /** Replaces Node's timers; the returned function restores them. */
  install(): () => void {
    const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis;
    const set = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      this.after(ms, this.current, () => run(...args));
    const cancel = (task: Task | undefined) => {
      if (task) task.isCancelled = true;
    };
    const repeat = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      const again = () => {
        run(...args);
        if (!first.isCancelled) this.after(ms, this.current, again);
      };
      const first = set(again, ms);
      return first;
    };
    const soon = (run: (...args: unknown[]) => void, ...args: unknown[]) => set(run, 0, ...args);
    Object.assign(globalThis, {
      setTimeout: set,
      clearTimeout: cancel,
      setInterval: repeat,
      clearInterval: cancel,
      setImmediate: soon,
    });
    return () =>
      Object.assign(globalThis, {
        setTimeout,
        clearTimeout,
        setInterval,
        clearInterval,
        setImmediate,
      });
  }

  private push(task: Task): void {
    const { heap } = this;
    let i = heap.push(task) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(task, heap[parent] as Task)) break;
      heap[i] = heap[parent] as Task;
      i = parent;
    }
    heap[i] = task;
  }

  private pop(): Task | undefined {
    const { heap } = this;
    const [first] = heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right && isBefore(right, heap[child] as Task)) child += 1;
      if (!isBefore(heap[child] as Task, last)) break;
      heap[i] = heap[child] as Task;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

function isBefore(a: Task, b: Task): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
