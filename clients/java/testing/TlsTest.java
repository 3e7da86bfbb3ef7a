package io.lockyard;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Tests that connections are encrypted as the caller says. Fails with an exception. */
public final class TlsTest {
  private static final String PASSWORD = "changeit";
  private static final String GRANT =
      "\"granted\",\"token\":1,\"expiresAt\":1,\"expiresInMs\":30000,\"waitedMs\":0";

  /** By which all that the server does is delayed, the making of connections included. */
  private static volatile long delayMs;

  /**
   * @param folders one, where files may be made
   */
  public static void main(String[] folders) throws Exception {
    SSLContext own = contextOf(keyStoreIn(Path.of(folders[0])));
    HttpsServer server = HttpsServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(own));
    server.createContext(
        "/",
        exchange -> {
          byte[] answer = answerTo(exchange.getRequestURI().getPath());
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.setExecutor(TlsTest::runLater);
    server.start();
    try {
      String url = "https://127.0.0.1:" + server.getAddress().getPort();
      Wire.LockInspectInput job = new Wire.LockInspectInput().name("job");
      new LockyardClient(url, "key", null, null, null, own).inspect(job);
      waitsForSlowConnection(new LockyardClient(url, "key", null, null, null, own));
      try {
        new LockyardClient(url, "key").inspect(job);
        throw new AssertionError("The certificate is accepted without its context.");
      } catch (LockyardException refused) {
        if (!refused.reason().equals("BACKEND_DOWN")) {
          throw refused;
        }
      }
    } finally {
      server.stop(0);
    }
  }

  private static byte[] answerTo(String path) {
    boolean isAcquire = path.endsWith("lock.acquire");
    String outcome = "\"outcome\":" + (isAcquire ? GRANT : "\"released\"");
    String data = path.endsWith("lock.inspect") ? "\"state\":\"free\"" : outcome;
    return ("{\"result\":{\"data\":{" + data + "}}}").getBytes(StandardCharsets.UTF_8);
  }

  private static void runLater(Runnable work) {
    CompletableFuture.delayedExecutor(delayMs, TimeUnit.MILLISECONDS).execute(work);
  }

  /** A call that would not wait for the lock waits for a server that can be reached. */
  private static void waitsForSlowConnection(LockyardClient client) throws Exception {
    delayMs = 1_500;
    try {
      client.withLock("job", new LockOptions().waitFor(Duration.ZERO), hold -> null);
    } finally {
      delayMs = 0;
    }
  }

  private static Path keyStoreIn(Path folder) throws Exception {
    Path file = folder.resolve("tls.p12");
    String[] made = {
      "keytool", "-genkeypair", "-alias", "a", "-keyalg", "EC", "-dname", "CN=A server", "-ext",
      "san=ip:127.0.0.1", "-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", "" + file
    };
    if (new ProcessBuilder(made).inheritIO().start().waitFor() != 0) {
      throw new AssertionError("No certificate is made.");
    }
    return file;
  }

  private static SSLContext contextOf(Path file) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream content = Files.newInputStream(file)) {
      store.load(content, PASSWORD.toCharArray());
    }
    KeyManagerFactory keys =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD.toCharArray());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }
}
