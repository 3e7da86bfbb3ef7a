package io.lockyard;

import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;

/** Sends one request to one address, once. */
final class Exchange {
  /** Of a query, where there is no other address: less than the time for its answer. */
  private static final long CONNECT = 5_000;

  /** Where there is: less than it takes to notice that a server is silent. */
  private static final long CONNECT_SOON = 2_500;

  /** How long another connection may take, even if a busy program has left no time for it. */
  private static final long PROBE_AT_LEAST = 100;

  private static final long FIRST_LOOK = 1_000;
  private static final long LOOK_EVERY = 4_000;
  private static final long RESPOND_WITHIN = 2_000;
  /** A proxy may ask for hours, while a hold or a queue position is lost in seconds. */
  private static final long RETRY_AFTER_MAX = 5_000;

  /** In each way in which Java words that a server does not speak TLS. */
  private static final String NO_TLS = "nrecognized SSL message";

  /** Those of a grant and a renewal, with which this client calculates. */
  private static final Set<String> NUMBERS =
      Set.of("token", "expiresAt", "expiresInMs", "waitedMs");

  private static final String TRACEPARENT = "[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}";

  /**
   * The reason for the status of a proxy, or of a server whose own reason is newer than this
   * client. With these the call was not applied; with any other it may have been.
   */
  private static final Map<Integer, String> REFUSALS =
      Map.ofEntries(
          Map.entry(301, "INVALID"),
          Map.entry(302, "INVALID"),
          Map.entry(307, "INVALID"),
          Map.entry(308, "INVALID"),
          Map.entry(400, "INVALID"),
          Map.entry(401, "UNAUTHENTICATED"),
          Map.entry(403, "FORBIDDEN"),
          Map.entry(404, "NOT_FOUND"),
          Map.entry(405, "INVALID"),
          Map.entry(413, "TOO_LARGE"),
          Map.entry(429, "RATE_LIMITED"));

  private final boolean looksForSilence;
  private final SSLContext sslContext;
  private volatile HttpClient http;
  private final Map<String, Look> looks = new ConcurrentHashMap<>();
  private final ConnectionProbe connectionProbe = new ConnectionProbe();

  /**
   * @param looksForSilence whether a server that has gone silent is detected, since there is
   *     another one
   * @param sslContext of https connections; null: Java's own
   */
  Exchange(boolean looksForSilence, SSLContext sslContext) {
    this.looksForSilence = looksForSilence;
    this.sslContext = sslContext;
    this.http = newHttp();
  }

  private HttpClient newHttp() {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            // Following a redirect would send a command twice.
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(Duration.ofMillis(looksForSilence ? CONNECT_SOON : CONNECT));
    return (sslContext == null ? builder : builder.sslContext(sslContext)).build();
  }

  /**
   * Uses the connections of this client no more: where one has hung, as after the death of a
   * machine behind a load balancer, others may as well, and each retry would try the next of them.
   * Calls that are under way go on.
   */
  private synchronized void leaveConnections(HttpClient doubted) {
    if (http == doubted) {
      http = newHttp();
    }
  }

  /**
   * A request that was not sent is {@code BACKEND_DOWN}; one without a readable answer is {@code
   * UNKNOWN}.
   *
   * @param connectWithin milliseconds until a command must have a connection, unless another one
   *     can be made; null: only the timeout limits it
   * @param traceparent not sent if it is not a valid one
   */
  Map<String, Object> send(
      String address,
      String apiKey,
      String procedure,
      String kind,
      String body,
      long timeout,
      Long connectWithin,
      Object traceparent)
      throws InterruptedException {
    String at = address + "/api/v1/" + procedure;
    CommandBody command = kind.equals("query") ? null : new CommandBody(body);
    String encoded =
        command == null ? "?input=" + URLEncoder.encode(body, StandardCharsets.UTF_8) : "";
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(at + encoded))
            .header("Authorization", "Bearer " + apiKey)
            .timeout(Duration.ofMillis(Math.max(1, timeout)));
    if (command != null) {
      request.header("Content-Type", "application/json").POST(command);
    }
    if (traceparent instanceof String && ((String) traceparent).matches(TRACEPARENT)) {
      request.header("traceparent", (String) traceparent);
    }
    HttpClient present = http;
    CompletableFuture<HttpResponse<Optional<String>>> reply =
        present.sendAsync(request.build(), head -> new LimitedBody());
    try {
      return read(procedure, kind, await(reply, address, command, timeout, connectWithin));
    } catch (TimeoutException late) {
      leaveConnections(present);
      // Also if the name of the host is not resolved in time.
      throw hasNeverLeft(command)
          ? unreachable(address, "no connection in time", late)
          : new LockyardException("UNKNOWN", late.getMessage());
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof HttpTimeoutException) {
        leaveConnections(present);
      }
      throw failure(failed.getCause(), address, hasNeverLeft(command));
    } finally {
      reply.cancel(true);
    }
  }

  /**
   * Whether nothing was sent, and nothing will be. False also for a query, which {@code HttpClient}
   * sends without notice.
   */
  private static boolean hasNeverLeft(CommandBody command) {
    return command != null && command.giveUp();
  }

  /**
   * @throws TimeoutException says in a sentence how long there was no answer, or that the server is
   *     silent; also where there is no connection in time
   */
  private <B> HttpResponse<B> await(
      CompletableFuture<HttpResponse<B>> reply,
      String address,
      CommandBody command,
      long timeout,
      Long connectWithin)
      throws InterruptedException, ExecutionException, TimeoutException {
    long since = Timing.now();
    long until = since + timeout;
    long probe = connectWithin == null ? 0 : Math.max(PROBE_AT_LEAST, connectWithin * 2 / 5);
    long connectUntil = connectWithin == null ? until : since + connectWithin - probe;
    long lookAt = looksForSilence ? since + FIRST_LOOK : until;
    CompletableFuture<HttpResponse<Void>> look = null;
    while (true) {
      long slice = Math.min(Math.min(connectUntil, lookAt), until) - Timing.now();
      try {
        return reply.get(Math.max(1, slice), TimeUnit.MILLISECONDS);
      } catch (TimeoutException notYet) {
        long now = Timing.now();
        if (now >= until) {
          throw noAnswer(timeout);
        }
        if (now >= connectUntil) {
          connectUntil = until;
          boolean isConnected = command.hasLeft() || connectionProbe.canConnect(address, probe);
          if (!isConnected && hasNeverLeft(command)) {
            throw noAnswer(timeout);
          }
        }
        if (now < lookAt) {
          continue;
        }
      }
      if (look == null) {
        look = look(address, since);
        lookAt = Timing.now() + RESPOND_WITHIN;
      } else if (look.isDone() && !look.isCompletedExceptionally()) {
        look = null;
        lookAt = Timing.now() + LOOK_EVERY;
      } else {
        throw new TimeoutException("The server does not respond any more.");
      }
    }
  }

  private static TimeoutException noAnswer(long timeout) {
    return new TimeoutException("No answer within " + timeout + " ms.");
  }

  /** Checks whether the server has been alive since then, with one probe for all callers. */
  private CompletableFuture<HttpResponse<Void>> look(String address, long since) {
    return looks.compute(
            address, (at, last) -> last != null && last.isFor(since) ? last : new Look(at))
        .reply;
  }

  private final class Look {
    final long begunAt = Timing.now();
    final CompletableFuture<HttpResponse<Void>> reply;

    Look(String address) {
      HttpRequest ask =
          HttpRequest.newBuilder(URI.create(address + "/api/health/live"))
              .timeout(Duration.ofMillis(RESPOND_WITHIN))
              .build();
      reply = http.sendAsync(ask, HttpResponse.BodyHandlers.discarding());
    }

    boolean isFor(long since) {
      return begunAt >= since && Timing.now() - begunAt < LOOK_EVERY / 2;
    }
  }

  private static LockyardException failure(
      Throwable cause, String address, boolean hasNeverLeft) {
    Throwable found = null;
    for (Throwable each = cause; each != null; each = each.getCause()) {
      boolean isOfConnecting =
          each instanceof ConnectException
              || each instanceof HttpConnectTimeoutException
              || each instanceof SSLHandshakeException
              || String.valueOf(each.getMessage()).contains(NO_TLS);
      if (found == null && isOfConnecting) {
        found = each;
      }
      // Wrapped in a ConnectException without a message.
      if (each instanceof UnresolvedAddressException) {
        found = each;
      }
    }
    if (found == null && !hasNeverLeft) {
      return LockyardException.broken("No whole answer (" + cause + ").", cause);
    }
    Throwable shown = found == null ? cause : found;
    String text = shown.getMessage() == null ? "" : ": " + shown.getMessage();
    return unreachable(address, shown.getClass().getSimpleName() + text, cause);
  }

  private static LockyardException unreachable(String address, String why, Throwable cause) {
    String what = "Lockyard cannot be reached at " + address + " (" + why + ").";
    return LockyardException.unreachable("BACKEND_DOWN", what, cause);
  }

  /** The result in a reply; throws the refusal in it, or one by its status for anything else. */
  private static Map<String, Object> read(
      String procedure, String kind, HttpResponse<Optional<String>> reply) {
    int status = reply.statusCode();
    String requestId = reply.headers().firstValue("X-Request-Id").orElse(null);
    if (reply.body().isEmpty()) {
      // A query changes nothing, and its caller can ask for less.
      String reason = kind.equals("query") ? "TOO_LARGE" : "UNKNOWN";
      String what = "The answer has more than " + LimitedBody.MAX_MIB + " MiB.";
      throw LockyardException.refused(reason, what, null, requestId, null, null, null);
    }
    Map<String, Object> body = Json.objectIn(Json.read(reply.body().get()));
    Map<String, Object> data = objectAt(objectAt(body, "result"), "data");
    if (status >= 200 && status < 300 && data != null) {
      String missing = missingIn(procedure, data);
      if (missing == null) {
        return data;
      }
      String what = "The answer has no " + missing + ".";
      throw LockyardException.refused("UNKNOWN", what, null, requestId, null, null, null);
    }
    Map<String, Object> error = objectAt(body, "error");
    Map<String, Object> facts = objectAt(error, "data");
    String byStatus = REFUSALS.getOrDefault(status, "UNKNOWN");
    if (facts != null && facts.get("reason") instanceof String) {
      String reason = (String) facts.get("reason");
      Object detail = facts.get("detail");
      throw LockyardException.refused(
          Wire.REASONS.contains(reason) ? reason : byStatus,
          String.valueOf(error.get("message")),
          numberAt(facts, "retryAfterMs"),
          requestId,
          numberAt(facts, "capacity"),
          detail instanceof String ? (String) detail : null,
          numberAt(facts, "waitMaxMs"));
    }
    String what = status + " came without an answer of Lockyard; check the URL.";
    Long hint = retryAfterLimit(reply);
    throw LockyardException.foreign(byStatus, what, hint, requestId);
  }

  /** What an answer lacks to say what was done, as a phrase for a message; null: nothing. */
  private static String missingIn(String procedure, Map<String, Object> data) {
    Map<String, List<String>> outcomes = Wire.ANSWER_NEEDS.get(procedure);
    Object outcome = outcomes.containsKey("") ? "" : data.get("outcome");
    if (!(outcome instanceof String) || !outcomes.containsKey(outcome)) {
      return "known outcome";
    }
    for (String field : outcomes.get(outcome)) {
      Object value = data.get(field);
      if (value == null || NUMBERS.contains(field) && !isExact(value)) {
        return "\"" + field + "\"";
      }
    }
    return null;
  }

  /** A lease of 1e999 ms, which Java reads as infinity, would never end. */
  private static boolean isExact(Object value) {
    return value instanceof Number && Math.abs(((Number) value).doubleValue()) < 1L << 53;
  }

  /**
   * The Retry-After of a proxy that limits the rate, in milliseconds. Ignored with any other
   * status: the next attempt may well reach another server.
   */
  private static Long retryAfterLimit(HttpResponse<?> reply) {
    String seconds = reply.headers().firstValue("Retry-After").orElse("");
    if (reply.statusCode() != 429 || !seconds.matches("[0-9]{1,9}")) {
      return null;
    }
    return Math.min(RETRY_AFTER_MAX, Long.parseLong(seconds) * 1_000);
  }

  private static Map<String, Object> objectAt(Map<String, Object> fields, String name) {
    return fields == null ? null : Json.objectIn(fields.get(name));
  }

  private static Long numberAt(Map<String, Object> fields, String name) {
    Object value = fields.get(name);
    return value instanceof Long ? (Long) value : null;
  }
}
