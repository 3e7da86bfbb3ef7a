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
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
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
 * LOCKYARD_URL may name several servers of one database, separated by commas: when one fails, the next is asked.
 *
 * Ends with 0 when the work is done, 1 when the lock was lost on the way, 2 for wrong usage or configuration (an argument,
 * or an API key that is missing or not valid), 69 when there is no server or it cannot do this now, and 75 when another
 * caller has the lock.
 */
public final class Lock {
  /** A request is answered within 25 s, then the wait goes on with the next one. */
  static final Duration REPLY_MAX = Duration.ofSeconds(35);

  /** A server that does not answer, or says that it cannot do this now, is asked again for so long beyond the wait. */
  static final long RETRY_FOR_MS = 5_000;

  /** An answer faster than this, and yet queued, comes from a server that is shutting down. */
  static final long AT_ONCE_MS = 200;

  static final String USAGE = "usage: java Lock.java NAME [--lease-ms N] [--wait-ms N] [--work-ms N]";

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
    String urlList = Optional.ofNullable(System.getenv("LOCKYARD_URL")).orElse("http://127.0.0.1:3000");
    List<String> urls = Stream.of(urlList.split(",", -1)).map(url -> url.strip().replaceAll("/+$", "")).toList();
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

  /** Your work, in steps: before each, look whether the lock is still yours, and pass its token on to what you write to. */
  static void work(Hold hold, long workMs) throws InterruptedException {
    long until = System.nanoTime() + workMs * 1_000_000;
    while (System.nanoTime() < until) {
      if (hold.lost.await(50, TimeUnit.MILLISECONDS)) return;
    }
  }

  /** A refusal of the server. {@code reason} is one of the API's names, such as INVALID or BACKEND_DOWN. */
  static final class Refused extends IOException {
    final String reason;
    final long retryAfterMs;

    Refused(String reason, String message, long retryAfterMs) {
      super(reason + ": " + message);
      this.reason = reason;
      this.retryAfterMs = retryAfterMs;
    }
  }

  /** Another caller has the lock. */
  static final class NotGranted extends Exception {
    NotGranted(String answer) {
      super(text(answer, "outcome").orElse("?") + text(answer, "owner").map(owner -> ": " + owner).orElse(""));
    }
  }

  /** One or several Lockyard servers of one database, spoken to with an API key. That at {@code index} is asked. */
  record Lockyard(List<String> urls, AtomicInteger index, String apiKey, String owner, HttpClient http) {
    Lockyard(List<String> urls, String apiKey, String owner) {
      this(urls, new AtomicInteger(), apiKey, owner, http11());
    }

    private static HttpClient http11() {
      return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    /** One POST. Throws {@link Refused}, or another IOException when no answer came: then it may have been done or not. */
    String call(String procedure, String body, Duration replyMax) throws IOException, InterruptedException {
      int asked = index.get();
      try {
        return post(urls.get(asked) + "/api/v1/" + procedure, body, replyMax);
      } catch (IOException failure) {
        if (isServerFailure(failure)) leave(asked);
        throw failure;
      }
    }

    /** The next try goes to the next server, unless another thread has seen to that. */
    private void leave(int asked) {
      index.compareAndSet(asked, (asked + 1) % urls.size());
    }

    private String post(String url, String body, Duration replyMax) throws IOException, InterruptedException {
      var request =
          HttpRequest.newBuilder(URI.create(url))
              .header("Authorization", "Bearer " + apiKey)
              .header("Content-Type", "application/json")
              .timeout(replyMax)
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build();
      var reply = http.send(request, BodyHandlers.ofString());
      // Something else than Lockyard may answer there too.
      if (reply.statusCode() == 200 && text(reply.body(), "outcome").isPresent()) return reply.body();
      String reason = text(reply.body(), "reason").orElse("UNKNOWN");
      String message = text(reply.body(), "message").orElse("status " + reply.statusCode());
      throw new Refused(reason, message, number(reply.body(), "retryAfterMs").orElse(1_000L));
    }

    /** Takes the lock or throws {@link NotGranted}. However often it has to ask, it is one acquire: one request id. */
    Hold acquire(String name, long leaseMs, long waitMs) throws IOException, InterruptedException, NotGranted {
      String who = "\"name\":%s,\"owner\":%s".formatted(json(name), json(owner));
      String id = ",\"requestId\":" + json(UUID.randomUUID().toString());
      String ask = "{%s%s,\"leaseMs\":%d,\"waitMs\":%d}".formatted(who, id, leaseMs, waitMs);
      long giveUpAt = System.nanoTime() + (waitMs + RETRY_FOR_MS) * 1_000_000;
      try {
        while (true) {
          long sentAt = System.nanoTime();
          int asked = index.get();
          try {
            String answer = call("lock.acquire", ask, REPLY_MAX);
            String outcome = text(answer, "outcome").orElseThrow();
            if (outcome.equals("granted")) return new Hold(this, who, leaseMs, answer, sentAt);
            if (!outcome.equals("queued")) throw new NotGranted(answer);
            if (System.nanoTime() - sentAt < AT_ONCE_MS * 1_000_000) {
              leave(asked);
              Thread.sleep(AT_ONCE_MS);
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

    /** Leaves the queue, and gives back what was granted unheard. If this fails too, the lease ends by itself. */
    private void cancel(String ask) throws InterruptedException {
      try {
        call("lock.cancel", ask, Duration.ofSeconds(5));
      } catch (IOException failure) {
        // Nothing more can be done from here.
      }
    }
  }

  /** A lock that is held until it is closed. {@code lost} opens as soon as it is not sure any more. */
  static final class Hold implements AutoCloseable {
    final long token;
    final CountDownLatch lost = new CountDownLatch(1);
    volatile String whyLost;
    private final Lockyard lockyard;
    private final String mine;
    private final long leaseMs;
    private volatile long sureUntil;
    private final ScheduledExecutorService renewer = Executors.newSingleThreadScheduledExecutor();

    Hold(Lockyard lockyard, String who, long leaseMs, String answer, long sentAt) {
      this.lockyard = lockyard;
      this.leaseMs = leaseMs;
      token = number(answer, "token").orElseThrow();
      mine = who + ",\"token\":" + token;
      // Counted from before the question: too short at worst, never too long.
      sureUntil = sentAt + number(answer, "expiresInMs").orElseThrow() * 1_000_000;
      long leaseNanos = leaseMs * 1_000_000;
      if (System.nanoTime() - sentAt > leaseNanos / 3) {
        // After a wait the reply does not say when it was made; a renewal does.
        sureUntil = System.nanoTime() + leaseNanos;
        renew();
      }
      renewer.scheduleWithFixedDelay(this::renew, leaseNanos / 3, leaseNanos / 3, TimeUnit.NANOSECONDS);
    }

    boolean isLost() {
      return lost.getCount() == 0;
    }

    private void renew() {
      String renewal = "{%s,\"leaseMs\":%d}".formatted(mine, leaseMs);
      try {
        while (!isLost()) {
          long sentAt = System.nanoTime();
          try {
            // Half of what is left, so that there is time for another try.
            var left = Duration.ofNanos(Math.max(50_000_000, (sureUntil - sentAt) / 2));
            String answer = lockyard.call("lock.renew", renewal, left);
            if (text(answer, "outcome").orElseThrow().equals("lost")) lose(answer);
            else sureUntil = sentAt + number(answer, "expiresInMs").orElseThrow() * 1_000_000;
            return;
          } catch (IOException failure) {
            if (System.nanoTime() - sureUntil > 0 || !mayRepeat(failure)) lose(failure);
            else Thread.sleep(200);
          }
        }
      } catch (InterruptedException closing) {
        Thread.currentThread().interrupt();
      }
    }

    private void lose(String answer) {
      whyLost = text(answer, "cause").orElseThrow() + text(answer, "by").map(by -> " by " + by).orElse("");
      lost.countDown();
    }

    private void lose(IOException failure) {
      whyLost = "not renewed: " + failure.getMessage();
      lost.countDown();
    }

    /** One request id, so that asking again after a lost reply releases once. At worst the lease ends by itself. */
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

  /** Whether asking again may help: no answer, or one that says so. */
  static boolean mayRepeat(IOException failure) {
    var passing = Set.of("BACKEND_DOWN", "CONTENDED", "NAMESPACE_FULL", "RATE_LIMITED", "UNKNOWN");
    return !(failure instanceof Refused refused) || passing.contains(refused.reason);
  }

  /** Whether another server may do better. */
  static boolean isServerFailure(IOException failure) {
    return !(failure instanceof Refused refused) || Set.of("BACKEND_DOWN", "UNKNOWN").contains(refused.reason);
  }

  // In a program of yours a JSON library does what the rest of this file does.

  /** The first text of this name in a JSON answer. */
  static Optional<String> text(String json, String field) {
    var found = Pattern.compile("\"" + field + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
    return found.find() ? Optional.of(found.group(1)) : Optional.empty();
  }

  /** The first whole number of this name in a JSON answer. */
  static Optional<Long> number(String json, String field) {
    var found = Pattern.compile("\"" + field + "\":(-?\\d+)").matcher(json);
    return found.find() ? Optional.of(Long.valueOf(found.group(1))) : Optional.empty();
  }

  /** A text as JSON. */
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
