import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Takes a Lockyard lock, works while renewing it, and releases it. Needs a JDK 17 and nothing else:
 *
 * <pre>
 * export LOCKYARD_URL=http://127.0.0.1:3000 LOCKYARD_API_KEY=...
 * java Lock.java invoices:2026-11 --lease-ms 30000 --wait-ms 60000 --work-ms 1000
 * </pre>
 *
 * LOCKYARD_URL can name several servers of one database, separated by commas: when one fails, the
 * next one is tried.
 *
 * Exit codes: 0 the work is done, 1 the lock was lost meanwhile, 2 wrong usage or configuration
 * (such as an API key that is missing or not valid), 69 no server responds or the service is
 * temporarily unavailable, 75 another caller holds the lock.
 */
public final class Lock {
  /** A waiting request is answered within 25 s; the next request continues the wait. */
  static final Duration REPLY_MAX = Duration.ofSeconds(35);

  /** For how long after the end of the wait a request that failed temporarily is repeated. */
  static final long RETRY_FOR_MS = 5_000;

  /** A server that answers {@code queued} sooner than this is shutting down. */
  static final long EARLY_MS = 200;

  static final String USAGE =
      "usage: java Lock.java NAME [--lease-ms N] [--wait-ms N] [--work-ms N]";

  public static void main(String[] args) throws Exception {
    if (args.length % 2 == 0) wrongUsage(USAGE);
    String name = args[0];
    long leaseMs = 30_000;
    long waitMs = 0;
    long workMs = 1_000;
    for (int i = 1; i < args.length; i += 2) {
      if (!args[i + 1].matches("\\d{1,9}")) wrongUsage(USAGE);
      long value = Long.parseLong(args[i + 1]);
      switch (args[i]) {
        case "--lease-ms" -> leaseMs = value;
        case "--wait-ms" -> waitMs = value;
        case "--work-ms" -> workMs = value;
        default -> wrongUsage(USAGE);
      }
    }
    String urlList =
        Optional.ofNullable(System.getenv("LOCKYARD_URL")).orElse("http://127.0.0.1:3000");
    List<String> urls =
        Stream.of(urlList.split(",", -1)).map(url -> url.strip().replaceAll("/+$", "")).toList();
    if (!urls.stream().allMatch(url -> url.matches("https?://\\S+"))) {
      wrongUsage("each URL in LOCKYARD_URL must begin with http:// or https://");
    }
    String apiKey = Optional.ofNullable(System.getenv("LOCKYARD_API_KEY")).orElse("").strip();
    if (apiKey.isEmpty()) {
      wrongUsage("LOCKYARD_API_KEY is not set; create a key: npm run -s lockyard -- keys create");
    }
    String owner = InetAddress.getLocalHost().getHostName() + ":" + ProcessHandle.current().pid();
    var lockyard = new Lockyard(urls, apiKey, owner);

    int exitCode;
    try {
      Hold hold = lockyard.acquire(name, leaseMs, waitMs);
      try (hold) {
        System.out.println("granted, token " + hold.token);
        work(hold, workMs);
      }
      System.out.println(hold.isLost() ? "lost: " + hold.whyLost : "released");
      exitCode = hold.isLost() ? 1 : 0;
    } catch (NotGranted notGranted) {
      System.out.println(notGranted.getMessage());
      exitCode = 75;
    } catch (IOException failure) {
      System.err.println(Optional.ofNullable(failure.getMessage()).orElse(failure.toString()));
      exitCode = mayRepeat(failure) ? 69 : 2;
    }
    System.exit(exitCode);
  }

  static void wrongUsage(String message) {
    System.err.println(message);
    System.exit(2);
  }

  /**
   * Your work, in steps. Before each step, check that the lock is not lost, and send its token with
   * every write.
   */
  static void work(Hold hold, long workMs) throws InterruptedException {
    long until = System.nanoTime() + workMs * 1_000_000;
    while (System.nanoTime() < until) {
      if (hold.lost.await(50, TimeUnit.MILLISECONDS)) return;
    }
  }

  /**
   * The server refused the call. {@code reason} is one of those of the API, such as INVALID or
   * BACKEND_DOWN.
   */
  static final class Refused extends IOException {
    final String reason;
    final long retryAfterMs;

    Refused(String reason, String message, long retryAfterMs) {
      super(reason + ": " + message);
      this.reason = reason;
      this.retryAfterMs = retryAfterMs;
    }
  }

  /** Another caller holds the lock. */
  static final class NotGranted extends Exception {
    NotGranted(String answer) {
      super(
          text(answer, "outcome").orElse("?")
              + text(answer, "owner").map(owner -> ": " + owner).orElse(""));
    }
  }

  /** One or several Lockyard servers of one database. Calls go to the one at {@code index}. */
  record Lockyard(
      List<String> urls, AtomicInteger index, String apiKey, String owner, HttpClient http) {
    Lockyard(List<String> urls, String apiKey, String owner) {
      this(urls, new AtomicInteger(), apiKey, owner, http11());
    }

    private static HttpClient http11() {
      return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    /**
     * Sends one POST. Throws {@link Refused}, or another IOException if there was no answer: the
     * call may or may not have taken effect then.
     */
    String call(String procedure, String body, Duration replyMax)
        throws IOException, InterruptedException {
      int server = index.get();
      try {
        return post(urls.get(server) + "/api/v1/" + procedure, body, replyMax);
      } catch (IOException failure) {
        if (isServerFailure(failure)) leave(server);
        throw failure;
      }
    }

    /** Switches to the next server, unless another thread has already done so. */
    private void leave(int server) {
      index.compareAndSet(server, (server + 1) % urls.size());
    }

    private String post(String url, String body, Duration replyMax)
        throws IOException, InterruptedException {
      var request =
          HttpRequest.newBuilder(URI.create(url))
              .header("Authorization", "Bearer " + apiKey)
              .header("Content-Type", "application/json")
              .timeout(replyMax)
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build();
      var reply = http.send(request, BodyHandlers.ofString());
      // A server that is not Lockyard can answer with 200 too.
      boolean hasOutcome = text(reply.body(), "outcome").isPresent();
      if (reply.statusCode() == 200 && hasOutcome) return reply.body();
      String reason = text(reply.body(), "reason").orElse("UNKNOWN");
      String message = text(reply.body(), "message").orElse("status " + reply.statusCode());
      throw new Refused(reason, message, number(reply.body(), "retryAfterMs").orElse(1_000L));
    }

    /**
     * Acquires the lock or throws {@link NotGranted}. All its requests have one request id, so that
     * the server counts them as one.
     */
    Hold acquire(String name, long leaseMs, long waitMs)
        throws IOException, InterruptedException, NotGranted {
      String who = "\"name\":%s,\"owner\":%s".formatted(json(name), json(owner));
      String id = ",\"requestId\":" + json(UUID.randomUUID().toString());
      String ask = "{%s%s,\"leaseMs\":%d,\"waitMs\":%d}".formatted(who, id, leaseMs, waitMs);
      long giveUpAt = System.nanoTime() + (waitMs + RETRY_FOR_MS) * 1_000_000;
      try {
        while (true) {
          long sentAt = System.nanoTime();
          int server = index.get();
          try {
            String answer = call("lock.acquire", ask, REPLY_MAX);
            String outcome = text(answer, "outcome").orElseThrow();
            if (outcome.equals("granted")) return new Hold(this, who, leaseMs, answer, sentAt);
            if (!outcome.equals("queued")) throw new NotGranted(answer);
            if (System.nanoTime() - sentAt < EARLY_MS * 1_000_000) {
              leave(server);
              Thread.sleep(EARLY_MS);
            }
          } catch (IOException failure) {
            if (System.nanoTime() - giveUpAt > 0 || !mayRepeat(failure)) throw failure;
            Thread.sleep(failure instanceof Refused refused ? refused.retryAfterMs : 1_000);
          }
        }
      } catch (IOException | InterruptedException failure) {
        cancel("{" + who + id + "}");
        throw failure;
      }
    }

    /**
     * Leaves the queue, and releases the lock if it was granted but the answer was lost. If this
     * fails too, the lease expires.
     */
    private void cancel(String ask) throws InterruptedException {
      try {
        call("lock.cancel", ask, Duration.ofSeconds(5));
      } catch (IOException failure) {
        // Nothing more can be done from here.
      }
    }
  }

  /**
   * A lock that is held until it is closed. {@code lost} opens as soon as the lock may no longer be
   * held.
   */
  static final class Hold implements AutoCloseable {
    final long token;
    final CountDownLatch lost = new CountDownLatch(1);
    volatile String whyLost;
    private final Lockyard lockyard;
    private final String mine;
    private final long leaseMs;
    private long leaseNanos;
    private long sureUntil;
    private final ExecutorService renewer = Executors.newSingleThreadExecutor();

    Hold(Lockyard lockyard, String who, long leaseMs, String answer, long sentAt)
        throws InterruptedException {
      this.lockyard = lockyard;
      this.leaseMs = leaseMs;
      token = number(answer, "token").orElseThrow();
      mine = who + ",\"token\":" + token;
      noteLease(answer, sentAt);
      if (System.nanoTime() - sentAt > leaseNanos / 3) {
        // The answer of a wait does not say when it was sent; a renewal starts the lease again.
        sureUntil = System.nanoTime() + leaseNanos;
        renew();
      }
      renewer.execute(this::renewUntilClosed);
    }

    /** The server may give less than {@code leaseMs}: the answer says how much. */
    private void noteLease(String answer, long sentAt) {
      leaseNanos = number(answer, "expiresInMs").orElseThrow() * 1_000_000;
      // Counted from the sending of the request, so that it is never later than on the server.
      sureUntil = sentAt + leaseNanos;
    }

    boolean isLost() {
      return lost.getCount() == 0;
    }

    private void renewUntilClosed() {
      try {
        while (!isLost()) {
          TimeUnit.NANOSECONDS.sleep(Math.max(50_000_000, leaseNanos / 3));
          renew();
        }
      } catch (InterruptedException closing) {
        // The work is done.
      }
    }

    private void renew() throws InterruptedException {
      String renewal = "{%s,\"leaseMs\":%d}".formatted(mine, leaseMs);
      while (!isLost()) {
        long sentAt = System.nanoTime();
        try {
          // Half of the remaining time, so that there is time for another attempt.
          var left = Duration.ofNanos(Math.max(50_000_000, (sureUntil - sentAt) / 2));
          String answer = lockyard.call("lock.renew", renewal, left);
          if (text(answer, "outcome").orElseThrow().equals("lost")) lose(answer);
          else noteLease(answer, sentAt);
          return;
        } catch (IOException failure) {
          if (System.nanoTime() - sureUntil > 0 || !mayRepeat(failure)) lose(failure);
          else Thread.sleep(200);
        }
      }
    }

    private void lose(String answer) {
      String by = text(answer, "by").map(name -> " by " + name).orElse("");
      whyLost = text(answer, "cause").orElseThrow() + by;
      lost.countDown();
    }

    private void lose(IOException failure) {
      whyLost = "not renewed: " + failure.getMessage();
      lost.countDown();
    }

    /**
     * All attempts have one request id, so that a release whose answer was lost is not applied
     * twice. If all fail, the lease expires.
     */
    @Override
    public void close() throws InterruptedException {
      renewer.shutdownNow();
      renewer.awaitTermination(5, TimeUnit.SECONDS);
      String step = "{%s,\"requestId\":%s}".formatted(mine, json(UUID.randomUUID().toString()));
      for (int attempt = 0; attempt < 3 && !isLost(); attempt++) {
        try {
          String answer = lockyard.call("lock.release", step, Duration.ofSeconds(5));
          if (text(answer, "outcome").orElseThrow().equals("lost")) lose(answer);
          return;
        } catch (IOException failure) {
          if (!mayRepeat(failure)) return;
          Thread.sleep(200);
        }
      }
    }
  }

  /** Whether the call can be repeated: there was no answer, or a temporary refusal. */
  static boolean mayRepeat(IOException failure) {
    var temporary =
        Set.of("BACKEND_DOWN", "CONTENDED", "NAMESPACE_FULL", "RATE_LIMITED", "UNKNOWN");
    return !(failure instanceof Refused refused) || temporary.contains(refused.reason);
  }

  /** Whether another server may be able to do it. */
  static boolean isServerFailure(IOException failure) {
    return !(failure instanceof Refused refused)
        || Set.of("BACKEND_DOWN", "UNKNOWN").contains(refused.reason);
  }

  // Use a JSON library in place of the rest of this file.

  /** The first string field of this name in a JSON answer. */
  static Optional<String> text(String json, String field) {
    var found = Pattern.compile("\"" + field + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
    return found.find() ? Optional.of(found.group(1)) : Optional.empty();
  }

  /** The first integer field of this name in a JSON answer. */
  static Optional<Long> number(String json, String field) {
    var found = Pattern.compile("\"" + field + "\":(-?\\d+)").matcher(json);
    return found.find() ? Optional.of(Long.valueOf(found.group(1))) : Optional.empty();
  }

  /** A string as JSON. */
  static String json(String text) {
    var out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < ' ') out.append("\\u%04x".formatted((int) c));
      else out.append(c);
    }
    return out.append('"').toString();
  }
}
