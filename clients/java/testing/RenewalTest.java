package io.lockyard;

import static io.lockyard.ClientTest.check;
import static io.lockyard.ClientTest.granted;
import static io.lockyard.ClientTest.renewed;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Tests of how a hold is renewed, which {@link ClientTest} runs. */
final class RenewalTest {
  static final List<Map.Entry<String, ClientTest.Test>> TESTS =
      List.of(
          Map.entry(
              "renewals go on whatever a listener and the handler of its error throw",
              RenewalTest::renewsWhateverIsThrown),
          Map.entry(
              "a listener is not interrupted by the end of the work that it asked to end",
              RenewalTest::letsListenerFinish),
          Map.entry(
              "a lease longer than its namespace has come to allow is renewed in time",
              RenewalTest::renewsWithinWhatItGets),
          Map.entry(
              "a renewal may be answered after the end of the lease that was certain before",
              RenewalTest::hearsLateAnswer));

  private RenewalTest() {}

  private static void renewsWhateverIsThrown(ClientTest test) throws Exception {
    CountDownLatch renewals = new CountDownLatch(3);
    test.server.answer(
        "lock.renew",
        step -> {
          renewals.countDown();
          return renewed(900, "askedToRelease");
        });
    LockOptions options = new LockOptions().lease(Duration.ofMillis(900));
    options.onAskedToRelease(
        remark -> {
          throw new IllegalStateException("of the listener");
        });
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, error) -> {
          throw new AssertionError("of the handler", error);
        });
    try {
      test.client.withLock(
          "job",
          options,
          hold -> {
            check(renewals.await(20, TimeUnit.SECONDS), "It is renewed again.");
            return null;
          });
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(null);
    }
  }

  private static void letsListenerFinish(ClientTest test) throws Exception {
    test.server.answer("lock.acquire", ask -> granted(60_000));
    test.server.answer("lock.renew", step -> renewed(60_000, "askedToRelease"));
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    CompletableFuture<Boolean> hasFinished = new CompletableFuture<>();
    LockOptions options = new LockOptions().lease(Duration.ofSeconds(3));
    options.onAskedToRelease(
        remark -> {
          called.countDown();
          try {
            hasFinished.complete(released.await(20, TimeUnit.SECONDS));
          } catch (InterruptedException interrupted) {
            hasFinished.complete(false);
          }
        });
    test.client.withLock(
        "job",
        options,
        hold -> {
          check(called.await(20, TimeUnit.SECONDS), "It is called.");
          return null;
        });
    released.countDown();
    check(hasFinished.get(20, TimeUnit.SECONDS), "It is not interrupted.");
  }

  private static void renewsWithinWhatItGets(ClientTest test) throws Exception {
    CountDownLatch renewals = new CountDownLatch(4);
    test.server.answer("lock.acquire", ask -> granted(1_500));
    test.server.answer(
        "lock.renew",
        step -> {
          renewals.countDown();
          return renewed(1_500, null);
        });
    LockOptions options = new LockOptions().lease(Duration.ofHours(1));
    test.client.withLock("job", options, hold -> renewals.await(20, TimeUnit.SECONDS));
  }

  /** An earlier one that is answered meanwhile prolongs the lease. */
  private static void hearsLateAnswer(ClientTest test) throws Exception {
    test.server.answer(
        "lock.renew",
        step -> {
          LockSupport.parkNanos(100_000_000L);
          return renewed(1_500, null);
        });
    Wire.LockAcquireInput ask =
        new Wire.LockAcquireInput().namespace("default").name("job").owner("me").leaseMs(1_500);
    Hold hold =
        new Hold(test.client, ask, new GrantWait.Grant(7, 0, 0, Timing.now(), 50, null));
    try {
      hold.renew();
    } catch (LockyardException notYet) {
      check(notYet.reason().equals("UNKNOWN"), "It is not answered yet: " + notYet);
    }
    long until = Timing.now() + 5_000;
    while (hold.expiresAt() == 0 && Timing.now() < until) {
      Thread.sleep(20);
    }
    check(hold.expiresAt() == 1, "Its answer counts.");
  }
}
