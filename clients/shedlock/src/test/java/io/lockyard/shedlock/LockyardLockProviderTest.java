package io.lockyard.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.lockyard.LockyardClient;
import io.lockyard.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** ShedLock's own contract, on the server that {@code LOCKYARD_URL} names. */
class LockyardLockProviderTest extends AbstractExtensibleLockProviderIntegrationTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final LockyardClient client = new LockyardClient();
  private String prefix;
  private LockyardLockProvider provider;

  @BeforeEach
  void beginWithFreeLocks() {
    prefix = "shedlock:" + UUID.randomUUID() + ":";
    provider = new LockyardLockProvider(client, prefix);
  }

  @Override
  protected ExtensibleLockProvider getLockProvider() {
    return provider;
  }

  @Test
  void aTaskThatWasInterruptedFreesItsLock() {
    Duration atMost = Duration.ofMinutes(5);
    LockConfiguration task =
        new LockConfiguration(Instant.now(), "interrupted", atMost, Duration.ZERO);
    SimpleLock lock = provider.lock(task).orElseThrow();
    Thread.currentThread().interrupt();
    lock.unlock();
    assertThat(Thread.interrupted()).isTrue();
    assertUnlocked("interrupted");
  }

  @Test
  void anExtensionWhoseRenewalsAreBlockedThrowsAndLeavesALockThatCanBeUnlocked() throws Exception {
    String lease = "\"expiresAt\":1,\"expiresInMs\":60000";
    String remark = "{\"by\":\"ana\",\"reason\":\"r\",\"at\":1}";
    Map<String, String> answers =
        Map.of(
            "acquire", "\"outcome\":\"granted\",\"token\":7,\"waitedMs\":0," + lease,
            "renew", "\"outcome\":\"renewed\",\"renewalsStopped\":" + remark + "," + lease,
            "release", "\"outcome\":\"released\"");
    List<String> asked = new CopyOnWriteArrayList<>();
    HttpServer server = serverThatAnswers(answers, asked);
    server.start();
    try {
      String url = "http://127.0.0.1:" + server.getAddress().getPort();
      Duration atMost = Duration.ofMinutes(1);
      LockConfiguration task =
          new LockConfiguration(Instant.now(), "blocked", atMost, Duration.ZERO);
      SimpleLock lock =
          new LockyardLockProvider(new LockyardClient(url, "key")).lock(task).orElseThrow();
      assertThatThrownBy(() -> lock.extend(atMost, Duration.ZERO))
          .isInstanceOf(LockException.class)
          .hasMessageContaining("blocked");
      lock.unlock();
    } finally {
      server.stop(0);
    }
    assertThat(asked).containsExactly("acquire", "renew", "release");
  }

  @Test
  void anExtensionAfterTheClockWasSetForwardKeepsTheLockOfItsTask() {
    Duration atMost = Duration.ofMinutes(1);
    LockConfiguration task = new LockConfiguration(Instant.now(), "ahead", atMost, Duration.ZERO);
    SimpleLock lock = provider.lock(task).orElseThrow();
    ClockProvider.setClock(Clock.offset(Clock.systemUTC(), Duration.ofHours(1)));
    try {
      SimpleLock extended = lock.extend(atMost, Duration.ZERO).orElseThrow();
      assertLocked("ahead");
      extended.unlock();
    } finally {
      ClockProvider.setClock(Clock.systemUTC());
    }
    assertUnlocked("ahead");
  }

  @Test
  void aDelayedReleaseWithoutAnAnswerIsLogged() throws Exception {
    String lease = "\"expiresAt\":1,\"expiresInMs\":1000";
    Map<String, String> answers =
        Map.of(
            "acquire", "\"outcome\":\"granted\",\"token\":7,\"waitedMs\":0," + lease,
            "renew", "\"outcome\":\"renewed\"," + lease,
            "release", "");
    HttpServer server = serverThatAnswers(answers, new CopyOnWriteArrayList<>());
    server.start();
    try {
      String url = "http://127.0.0.1:" + server.getAddress().getPort();
      Duration atMost = Duration.ofSeconds(1);
      LockConfiguration task =
          new LockConfiguration(Instant.now(), "delayed", atMost, Duration.ZERO);
      SimpleLock lock =
          new LockyardLockProvider(new LockyardClient(url, "key")).lock(task).orElseThrow();
      lock.extend(atMost, Duration.ofMillis(500)).orElseThrow().unlock();
      Instant until = Instant.now().plus(PATIENCE);
      while (LogOfTest.LINES.isEmpty() && Instant.now().isBefore(until)) {
        sleepFor(Duration.ofMillis(10));
      }
    } finally {
      server.stop(0);
    }
    assertThat(LogOfTest.LINES)
        .singleElement()
        .asString()
        .startsWith("WARN ")
        .contains("\"delayed\"")
        .contains("LockyardException");
  }

  private static HttpServer serverThatAnswers(Map<String, String> answers, List<String> asked)
      throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/api/v1/lock.",
        exchange -> {
          String verb = exchange.getRequestURI().getPath().substring("/api/v1/lock.".length());
          asked.add(verb);
          byte[] body = ("{\"result\":{\"data\":{" + answers.get(verb) + "}}}").getBytes();
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    return server;
  }

  /** A lease of a few milliseconds ends after a second. */
  @Override
  protected void assertUnlocked(String lockName) {
    Instant until = Instant.now().plus(PATIENCE);
    while (state(lockName).equals("held") && Instant.now().isBefore(until)) {
      sleepFor(Duration.ofMillis(10));
    }
    assertThat(state(lockName)).isNotEqualTo("held");
  }

  @Override
  protected void assertLocked(String lockName) {
    assertThat(state(lockName)).isEqualTo("held");
  }

  private String state(String lockName) {
    try {
      return client.inspect(new Wire.LockInspectInput().name(prefix + lockName)).state();
    } catch (InterruptedException stopped) {
      throw new IllegalStateException(stopped);
    }
  }
}
