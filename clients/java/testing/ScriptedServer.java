package io.lockyard;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/** A server on a port of its own that answers each procedure as its test says. */
final class ScriptedServer implements AutoCloseable {
  private static final String PREFIX = "/api/v1/";

  private final HttpServer server;
  private final Map<String, UnaryOperator<Map<String, Object>>> answers = new ConcurrentHashMap<>();
  private final Set<InetSocketAddress> connections = ConcurrentHashMap.newKeySet();

  /** Those that are open, but over which nothing is answered any more. */
  private volatile Set<InetSocketAddress> silent = Set.of();

  ScriptedServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
    server.setExecutor(
        Executors.newCachedThreadPool(
            work -> {
              Thread thread = new Thread(work);
              thread.setDaemon(true);
              return thread;
            }));
    server.createContext(PREFIX, this::handle);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** From now on answers the procedure so; null closes the connection without an answer. */
  void answer(String procedure, UnaryOperator<Map<String, Object>> answer) {
    answers.put(procedure, answer);
  }

  /** Answers every request under a path with 200 and this text. */
  void answerUnder(String path, String text) {
    server.createContext(path, exchange -> send(exchange, text));
  }

  /** Answers no more over the connections made so far, and returns how many they are. */
  int silenceConnections() {
    silent = Set.copyOf(connections);
    return silent.size();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    connections.add(exchange.getRemoteAddress());
    if (silent.contains(exchange.getRemoteAddress())) {
      return;
    }
    String procedure = exchange.getRequestURI().getPath().substring(PREFIX.length());
    byte[] asked = exchange.getRequestBody().readAllBytes();
    Map<String, Object> input = Json.objectIn(Json.read(new String(asked, StandardCharsets.UTF_8)));
    Map<String, Object> data = answers.get(procedure).apply(input);
    if (data == null) {
      exchange.close();
      return;
    }
    send(exchange, Json.write(Map.of("result", Map.of("data", data))));
  }

  private static void send(HttpExchange exchange, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    try (OutputStream reply = exchange.getResponseBody()) {
      reply.write(body);
    }
  }
}
