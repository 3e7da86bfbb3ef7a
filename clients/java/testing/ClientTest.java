package io.lockyard;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Tests of what only the client for Java has: interrupts, its thread, and leases that it does not
 * renew. The server answers as each test says. Exits with 1 if a test fails.
 */
public final class ClientTest {
  private static final Map<String, Object> LOST =
      Map.of("outcome", "lost", "cause", "expired", "at", 1L);
  private static final Map<String, Object> REMARK = Map.of("by", "ana", "reason", "r", "at", 1L);

  private static final Wire.LockListInput ALL = new Wire.LockListInput();

  final ScriptedServer server;
  final LockyardClient client;

  interface Test {
    void run(ClientTest test) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    boolean isWell = true;
    List<Map.Entry<String, Test>> all = new ArrayList<>(TESTS);
    all.addAll(RenewalTest.TESTS);
    for (Map.Entry<String, Test> each : all) {
      ClientTest test = new ClientTest();
      try {
        each.getValue().run(test);
      } catch (Throwable failure) {
        isWell = false;
        System.err.println("Failed: " + each.getKey());
        failure.printStackTrace();
      } finally {
        test.server.close();
      }
    }
    System.exit(isWell ? 0 : 1);
  }

  private static final List<Map.Entry<String, Test>> TESTS =
      List.of(
          Map.entry(
              "an interrupt of its caller is not hidden behind a loss",
              ClientTest::keepsInterruptOfCaller),
          Map.entry(
              "a lease that gets less time than it asks for is not extended",
              ClientTest::doesNotExtendWithLess),
          Map.entry(
              "of a lease that is released or lost nothing is left",
              ClientTest::believesInNoLeaseThatIsOver),
          Map.entry(
              "a lease that is released again after no answer is released by the same id",
              ClientTest::releasesLeaseByOneId),
          Map.entry(
              "what something else answers is sent again: a release by the same id, an extension",
              ClientTest::releasesWhateverAnswers),
          Map.entry(
              "a lease is released once at the end of its block, unless it was before",
              ClientTest::releasesLeaseWithItsBlock),
          Map.entry(
              "the machine is named also where its name cannot be resolved",
              ClientTest::namesUnresolvedHost),
          Map.entry(
              "errors say their reason, and what is missing or cannot be reached",
              ClientTest::saysWhatIsWrong),
          Map.entry(
              "nothing is asked for what is missing or interrupted, and null options are defaults",
              ClientTest::readsNullAndNegative),
          Map.entry(
              "an answer that is nested too deeply is no answer",
              ClientTest::survivesDeepAnswer),
          Map.entry(
              "a grant or a renewal without a number for its lease is no answer",
              ClientTest::believesInNoLeaseWithoutNumber),
          Map.entry(
              "a call goes to the next address without a connection, the next one after a 404",
              ClientTest::leavesAddress),
          Map.entry(
              "a hold outlives idle connections that have all fallen silent",
              ClientTest::leavesSilentConnections),
          Map.entry(
              "a name that is not resolved in time counts as no connection",
              ClientTest::countsUnresolvedNameAsNoConnection));

  private void keepsInterruptOfCaller() throws Exception {
    server.answer("lock.release", step -> LOST);
    boolean isLost = false;
    try {
      client.withLock(
          "job",
          hold -> {
            Thread.currentThread().interrupt();
            Thread.sleep(60_000);
            return null;
          });
    } catch (LockLost lost) {
      isLost = lost.getCause() instanceof InterruptedException;
    }
    check(isLost && Thread.interrupted(), "It is lost because of the interrupt, which is kept.");
  }

  private void doesNotExtendWithLess() throws Exception {
    Lease lease = client.acquireLease("job", new LockOptions());
    check(lease.extend(Duration.ofMinutes(5)), "It is extended.");
    for (String remarked : new String[] {"renewalsStopped", null}) {
      server.answer("lock.renew", step -> renewed(900, remarked));
      check(!lease.extend(Duration.ofMinutes(10)) && lease.remainingMs() > 0, "It gets less.");
    }
  }

  private void believesInNoLeaseThatIsOver() throws Exception {
    Lease released = client.acquireLease("job", new LockOptions());
    check(released.release() && released.remainingMs() == 0, "Nothing is left of it.");
    Lease lost = client.acquireLease("job", new LockOptions());
    server.answer("lock.renew", step -> LOST);
    check(!lost.extend(Duration.ofMinutes(5)) && lost.remainingMs() == 0, "Nothing is left of it.");
  }

  private void releasesLeaseByOneId() throws Exception {
    List<Object> ids = new CopyOnWriteArrayList<>();
    server.answer(
        "lock.release",
        step -> {
          ids.add(step.get("requestId"));
          LockSupport.parkNanos(ids.size() > 1 ? 5_000_000_000L : 0);
          return null;
        });
    Lease lease = client.acquireLease("job", new LockOptions().lease(Duration.ofSeconds(1)));
    long since = System.nanoTime();
    try {
      lease.release();
      check(false, "It has no answer.");
    } catch (LockyardException unknown) {
      check(unknown.reason().equals("UNKNOWN"), "Its outcome is unknown.");
    }
    check(System.nanoTime() - since < 4_000_000_000L, "It takes 2 s at most.");
    server.answer(
        "lock.release",
        step -> {
          ids.add(step.get("requestId"));
          return Map.of("outcome", "released");
        });
    check(lease.release(), "It is released.");
    check(ids.size() > 2 && ids.stream().distinct().count() == 1, "Ids: " + ids);
  }

  private void releasesWhateverAnswers() throws Exception {
    List<Object> ids = new CopyOnWriteArrayList<>();
    server.answer(
        "lock.release",
        step -> ids.add(step.get("requestId")) && ids.size() == 1 ? null
            : Map.of("outcome", "released"));
    LockyardClient misled = new LockyardClient(server.url() + "," + server.url() + "/else", "key");
    check(misled.withLock("job", hold -> "done").equals("done"), "It is released.");
    check(ids.size() == 2 && ids.get(0).equals(ids.get(1)), "By one id: " + ids);
    Lease lease = misled.acquireLease("job", new LockOptions());
    server.answer("lock.renew", step -> ids.add(1) && ids.size() == 3 ? null : renewed(900, null));
    check(lease.extend(Duration.ofMillis(900)), "It is extended.");
  }

  private void releasesLeaseWithItsBlock() throws Exception {
    List<Object> releases = new CopyOnWriteArrayList<>();
    server.answer(
        "lock.release",
        step -> {
          releases.add(step.get("requestId"));
          return Map.of("outcome", "released");
        });
    try (Lease lease = client.acquireLease("job", new LockOptions())) {
      check(lease.remainingMs() > 0 && releases.isEmpty(), "It is live in its block.");
    }
    check(releases.size() == 1, "Its block has released it: " + releases);
    try (Lease lease = client.acquireLease("job", new LockOptions())) {
      lease.release();
    }
    check(releases.size() == 2, "It is not released again: " + releases);
  }

  private void namesUnresolvedHost() throws Exception {
    Path kernel = Path.of("/proc/sys/kernel/hostname");
    if (Files.exists(kernel)) {
      String named = ProcessMeta.ofThis("1").get("host");
      check(Files.readString(kernel).startsWith(named), "Its host is " + named + ".");
    }
  }

  private void saysWhatIsWrong() throws Exception {
    for (String nowhere : List.of("http://127.0.0.1:1", "http://nowhere.invalid:3000")) {
      String said = failureOf(() -> new LockyardClient(nowhere, "key").list(ALL));
      check(said.contains("BACKEND_DOWN: Lockyard cannot be reached at " + nowhere + " ("), said);
      check(said.contains("UnresolvedAddress") == nowhere.contains("invalid"), said);
    }
    String missing = failureOf(() -> new LockyardClient("", "key"));
    check(missing.endsWith("INVALID: Missing `url`: pass it, or set LOCKYARD_URL."), missing);
  }

  private void readsNullAndNegative() throws Exception {
    List<Map<String, Object>> asked = new CopyOnWriteArrayList<>();
    server.answer(
        "lock.acquire",
        ask -> {
          asked.add(ask);
          return granted((Long) ask.get("leaseMs"));
        });
    LockyardClient.Work<Object, Exception> nothing = hold -> null;
    Map<String, String> meta = new HashMap<>();
    meta.put("job", null);
    LockOptions negative = new LockOptions().waitFor(Duration.ofMillis(-1));
    Map<String, Failing> failing =
        Map.of(
            "The options of withLock are null",
            () -> client.withLock("job", null, nothing),
            "The options of acquireLease are null",
            () -> client.acquireLease("job", null),
            "The work of withLock is null",
            () -> client.withLock("job", null),
            "The name of the lock is null",
            () -> client.withLock(null, nothing),
            "meta has a null",
            () -> new LockOptions().meta(meta),
            "waitFor is negative",
            () -> client.withLock("job", negative, nothing));
    for (Map.Entry<String, Failing> each : failing.entrySet()) {
      String said = failureOf(each.getValue());
      check(said.contains("INVALID: " + each.getKey()), said);
    }
    server.answer("lock.cancel", step -> asked.add(step) ? Map.of("outcome", "none") : null);
    Thread.currentThread().interrupt();
    check(failureOf(() -> client.withLock("job", nothing)).contains("Interrupted"), "It gives up.");
    check(asked.isEmpty(), "Nothing was asked.");

    LockyardClient plain = new LockyardClient(server.url(), "key", null, null, null);
    LockOptions options =
        new LockOptions().namespace(null).owner(null).lease(null).holdAtLeast(null).meta(null);
    options.traceparent(null).onAskedToRelease(null).onRenewalsStopped(null);
    server.answer("lock.renew", step -> renewed(900, "askedToRelease"));
    CountDownLatch complaints = new CountDownLatch(1);
    Thread.setDefaultUncaughtExceptionHandler((thread, error) -> complaints.countDown());
    try {
      LockyardClient.Work<Object, Exception> work =
          hold -> {
            while (hold.askedToRelease() == null) {
              Thread.sleep(10);
            }
            check(!complaints.await(200, TimeUnit.MILLISECONDS), "A listener is missing.");
            return null;
          };
      plain.withLock("job", options.lease(Duration.ofMillis(900)), work);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(null);
    }
    Map<String, Object> ask = asked.get(0);
    check(ask.get("namespace").equals("default"), "Its namespace is " + ask.get("namespace"));
    String sent = String.valueOf(ask.get("meta"));
    check(sent.contains("version=lockyard-java"), "Its meta is " + sent);
  }

  private void survivesDeepAnswer() throws Exception {
    server.answerUnder("/deep/", "[".repeat(1_000_000));
    String said = failureOf(() -> new LockyardClient(server.url() + "/deep", "key").list(ALL));
    check(said.contains("UNKNOWN: 200 came without an answer of Lockyard"), said);
  }

  private void believesInNoLeaseWithoutNumber() throws Exception {
    Wire.LockAcquireInput ask = new Wire.LockAcquireInput().name("job").leaseMs(1_000);
    for (Object expiresInMs : List.of(new BigDecimal("1e999"), "1000", List.of())) {
      Map<String, Object> grant = new HashMap<>(granted(1_000));
      grant.put("expiresInMs", expiresInMs);
      server.answer("lock.acquire", step -> grant);
      String failure = failureOf(() -> client.acquire(ask));
      check(failure.contains("UNKNOWN: The answer has no \"expiresInMs\""), failure);
    }
    server.answer("lock.acquire", step -> granted(1_000));
    Lease lease = client.acquireLease("job", new LockOptions().lease(Duration.ofSeconds(1)));
    Map<String, Object> endless = new HashMap<>(renewed(1_000, null));
    endless.put("expiresInMs", new BigDecimal("1e999"));
    server.answer("lock.renew", step -> endless);
    String failure = failureOf(() -> lease.extend(Duration.ofSeconds(1)));
    check(failure.contains("UNKNOWN: The answer has no \"expiresInMs\""), failure);
    check(lease.remainingMs() < 1_000, "It ends.");
  }

  private void leavesAddress() throws Exception {
    server.answer("counter.add", ask -> Map.of("outcome", "applied", "value", 1L, "rev", 1L));
    server.answer("lock.list", ask -> Map.of("locks", List.of()));
    LockyardClient misled = new LockyardClient(server.url() + "/elsewhere," + server.url(), "key");
    String refused = failureOf(() -> misled.list(ALL));
    check(refused.contains("404 came without") && misled.list(ALL).locks().isEmpty(), refused);
    List<SocketChannel> queued = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      // It accepts none: the kernel queues a few, and drops the rest.
      for (int i = 0; i < 10; i++) {
        SocketChannel one = SocketChannel.open();
        one.configureBlocking(false);
        one.connect(full.getLocalSocketAddress());
        queued.add(one);
      }
      Thread.sleep(100);
      String both = "http://127.0.0.1:" + full.getLocalPort() + "," + server.url();
      Wire.CounterAddInput step = new Wire.CounterAddInput().name("n").delta(1L);
      check(new LockyardClient(both, "key").addToCounter(step).value() == 1, "It is added.");
      check(new LockyardClient(both, "key").list(ALL).locks().isEmpty(), "It is listed.");
    } finally {
      for (SocketChannel one : queued) {
        one.close();
      }
    }
  }

  private void leavesSilentConnections() throws Exception {
    // Calls that are open at the same time have a connection each.
    CyclicBarrier all = new CyclicBarrier(8);
    server.answer(
        "lock.list",
        ask -> {
          try {
            all.await();
          } catch (InterruptedException | BrokenBarrierException end) {
            throw new IllegalStateException(end);
          }
          return Map.of("locks", List.of());
        });
    ExecutorService callers = Executors.newCachedThreadPool();
    callers.invokeAll(Collections.nCopies(all.getParties(), () -> client.list(ALL)));
    callers.shutdown();
    AtomicInteger connections = new AtomicInteger();
    client.withLock(
        "job",
        new LockOptions().lease(Duration.ofSeconds(6)),
        hold -> {
          connections.set(server.silenceConnections());
          Thread.sleep(hold.remainingMs() + 500);
          hold.check();
          return null;
        });
    check(connections.get() >= all.getParties(), "Each call has a connection of its own.");
  }

  /** Looking for a name reads this file, and a pipe has nothing to be read. */
  private void countsUnresolvedNameAsNoConnection() throws Exception {
    Path hosts = Path.of(System.getProperty("jdk.net.hosts.file"));
    Files.delete(hosts);
    check(new ProcessBuilder("mkfifo", hosts.toString()).start().waitFor() == 0, "A pipe is made.");
    try {
      LockyardClient away = new LockyardClient("http://unresolved.test:3000", "key");
      LockOptions atOnce = new LockOptions().waitFor(Duration.ZERO);
      long since = System.nanoTime();
      String said = failureOf(() -> away.withLock("job", atOnce, hold -> null));
      check(said.contains("BACKEND_DOWN: Lockyard cannot be reached at http://unresolved"), said);
      check(System.nanoTime() - since < 4_000_000_000L, "It is noticed soon.");
    } finally {
      Files.delete(hosts);
      Files.createFile(hosts);
    }
  }

  private interface Failing {
    void run() throws Exception;
  }

  private static String failureOf(Failing call) throws Exception {
    try {
      call.run();
    } catch (LockyardException | InterruptedException failure) {
      return failure.toString();
    }
    return "It did not fail.";
  }

  private ClientTest() throws IOException {
    server = new ScriptedServer();
    client = new LockyardClient(server.url(), "key");
    server.answer("lock.acquire", ask -> granted((Long) ask.get("leaseMs")));
    server.answer("lock.renew", step -> renewed((Long) step.get("leaseMs"), null));
    server.answer("lock.release", step -> Map.of("outcome", "released"));
  }

  static Map<String, Object> granted(long leaseMs) {
    return Map.of(
        "outcome", "granted", "token", 7L, "waitedMs", 0L, "expiresAt", 1L, "expiresInMs", leaseMs);
  }

  /** The answer to a renewal, with an operator's remark in that field unless it is null. */
  static Map<String, Object> renewed(long expiresInMs, String remarked) {
    Map<String, Object> answer = new HashMap<>();
    answer.putAll(Map.of("outcome", "renewed", "expiresAt", 1L, "expiresInMs", expiresInMs));
    if (remarked != null) {
      answer.put(remarked, REMARK);
    }
    return answer;
  }

  static void check(boolean isSo, String what) {
    if (!isSo) {
      throw new AssertionError(what);
    }
  }
}
