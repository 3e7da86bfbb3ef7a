package io.lockyard;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Tells a server that cannot be reached from a program that is busy: {@code HttpClient} makes its
 * connections one after another, so that of many calls at once some have none for a second.
 */
final class ConnectionProbe {
  private final Map<String, Probe> probes = new ConcurrentHashMap<>();

  private static final class Probe {
    final long begunAt = Timing.now();
    final CompletableFuture<Boolean> isConnected = new CompletableFuture<>();
  }

  /**
   * Whether a connection to the host of an address can be made within so many milliseconds. One
   * attempt serves all callers; in a busy program it may begin late, and then takes longer.
   */
  boolean canConnect(String address, long within) throws InterruptedException {
    long now = Timing.now();
    Probe probe =
        probes.compute(
            address,
            (at, last) ->
                last != null && now - last.begunAt < within ? last : begin(address, within));
    try {
      return probe.isConnected.get(3 * within, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException none) {
      return false;
    }
  }

  private static Probe begin(String address, long within) {
    Probe probe = new Probe();
    // In a thread of its own, since looking for the name of the host has no time limit.
    Thread connecting =
        new Thread(() -> probe.isConnected.complete(connects(address, within)), "lockyard-probe");
    connecting.setDaemon(true);
    connecting.start();
    return probe;
  }

  private static boolean connects(String address, long within) {
    URI uri = URI.create(address);
    boolean isSecure = uri.getScheme().equalsIgnoreCase("https");
    int port = uri.getPort() > 0 ? uri.getPort() : isSecure ? 443 : 80;
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(uri.getHost(), port), (int) within);
      return true;
    } catch (IOException | RuntimeException failure) {
      return false;
    }
  }
}
