// Generated from the description of the API: npm run clients:generate.
package io.lockyard;

import java.util.Map;

/**
 * The service API: each method sends one request, once. Expected outcomes are values with {@code
 * outcome}; everything else is thrown as {@link LockyardException}.
 */
public abstract class Procedures {
  Procedures() {}

  abstract Map<String, Object> call(String procedure, String kind, Map<String, Object> ask)
      throws InterruptedException;

  /** {@code lock.acquire}: acquire a lock. */
  public Wire.AcquireAnswer acquire(Wire.LockAcquireInput ask)
      throws InterruptedException {
    return new Wire.AcquireAnswer(call("lock.acquire", "mutation", ask.asMap()));
  }

  /** {@code lock.cancel}: cancel an acquire. */
  public Wire.CancelAnswer cancel(Wire.LockCancelInput ask)
      throws InterruptedException {
    return new Wire.CancelAnswer(call("lock.cancel", "mutation", ask.asMap()));
  }

  /** {@code lock.acquireMany}: acquire several locks together. */
  public Wire.AcquireManyAnswer acquireMany(Wire.LockAcquireManyInput ask)
      throws InterruptedException {
    return new Wire.AcquireManyAnswer(call("lock.acquireMany", "mutation", ask.asMap()));
  }

  /** {@code lock.cancelMany}: cancel an acquire of several locks. */
  public Wire.CancelAnswer cancelMany(Wire.LockCancelManyInput ask)
      throws InterruptedException {
    return new Wire.CancelAnswer(call("lock.cancelMany", "mutation", ask.asMap()));
  }

  /** {@code lock.renew}: renew a lock. */
  public Wire.RenewAnswer renew(Wire.LockRenewInput ask)
      throws InterruptedException {
    return new Wire.RenewAnswer(call("lock.renew", "mutation", ask.asMap()));
  }

  /** {@code lock.release}: release a lock. */
  public Wire.ReleaseAnswer release(Wire.LockReleaseInput ask)
      throws InterruptedException {
    return new Wire.ReleaseAnswer(call("lock.release", "mutation", ask.asMap()));
  }

  /** {@code lock.inspect}: inspect a lock. */
  public Wire.InspectAnswer inspect(Wire.LockInspectInput ask)
      throws InterruptedException {
    return new Wire.InspectAnswer(call("lock.inspect", "query", ask.asMap()));
  }

  /** {@code lock.list}: list locks. */
  public Wire.ListAnswer list(Wire.LockListInput ask)
      throws InterruptedException {
    return new Wire.ListAnswer(call("lock.list", "query", ask.asMap()));
  }

  /** {@code lock.watch}: watch locks. */
  public Wire.WatchAnswer watch(Wire.LockWatchInput ask)
      throws InterruptedException {
    return new Wire.WatchAnswer(call("lock.watch", "mutation", ask.asMap()));
  }

  /** {@code lock.check}: check a token. */
  public Wire.CheckAnswer check(Wire.LockCheckInput ask)
      throws InterruptedException {
    return new Wire.CheckAnswer(call("lock.check", "query", ask.asMap()));
  }

  /** {@code counter.create}: create a counter. */
  public Wire.CounterCreateAnswer createCounter(Wire.CounterCreateInput ask)
      throws InterruptedException {
    return new Wire.CounterCreateAnswer(call("counter.create", "mutation", ask.asMap()));
  }

  /** {@code counter.add}: add to a counter. */
  public Wire.CounterAddAnswer addToCounter(Wire.CounterAddInput ask)
      throws InterruptedException {
    return new Wire.CounterAddAnswer(call("counter.add", "mutation", ask.asMap()));
  }

  /** {@code counter.get}: read a counter. */
  public Wire.CounterGetAnswer getCounter(Wire.CounterGetInput ask)
      throws InterruptedException {
    return new Wire.CounterGetAnswer(call("counter.get", "query", ask.asMap()));
  }
}
