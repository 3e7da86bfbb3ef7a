package io.lockyard;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/** The agent of the Java client: runs the scenarios' commands, one line of JSON each. */
public final class Agent {
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private static final Map<String, LockyardClient> CLIENTS = new ConcurrentHashMap<>();
  private static final Map<String, BlockingQueue<Map<String, Object>>> COMMANDS =
      new ConcurrentHashMap<>();
  private static final Map<String, Thread> THREADS = new ConcurrentHashMap<>();

  private Agent() {}

  private static final class WorkFailed extends Exception {
    private static final long serialVersionUID = 1;
  }

  private interface Act {
    Map<String, Object> run(Map<String, Object> command) throws Exception;
  }

  public static void main(String[] args) throws IOException {
    InputStreamReader in = new InputStreamReader(System.in, StandardCharsets.UTF_8);
    BufferedReader lines = new BufferedReader(in);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      obey(Json.objectIn(Json.read(line)));
    }
  }

  private static void obey(Map<String, Object> command) {
    String id = text(command, "id");
    switch (text(command, "do")) {
      case "lock":
        COMMANDS.put(id, new LinkedBlockingQueue<>());
        start("ended", command, Agent::lock);
        return;
      case "count":
        start("ended", command, Agent::count);
        return;
      case "call":
        start("answer", command, Agent::call);
        return;
      case "giveUp":
        THREADS.get(id).interrupt();
        return;
      default:
        COMMANDS.get(id).add(command);
    }
  }

  private static void start(String event, Map<String, Object> command, Act act) {
    String id = text(command, "id");
    Thread thread =
        new Thread(
            () -> {
              Map<String, Object> end;
              try {
                end = act.run(command);
              } catch (Exception error) {
                end = facts(error);
              }
              say(id, event, end);
            });
    thread.setDaemon(true);
    THREADS.put(id, thread);
    thread.start();
  }

  private static void say(String id, String event, Map<String, Object> facts) {
    Map<String, Object> line = new LinkedHashMap<>(Map.of("id", id, "event", event));
    line.putAll(facts);
    OUT.println(Json.write(line));
  }

  private static Map<String, Object> lock(Map<String, Object> command) throws Exception {
    String id = text(command, "id");
    Map<String, Object> asked = Json.objectIn(command.get("options"));
    LockyardClient client = clientOf(command);
    LockOptions options = lockOptions(asked);
    options.onAskedToRelease(remark(id, "asked")).onRenewalsStopped(remark(id, "stopped"));
    String result =
        client.<String, WorkFailed>withLock(
            text(command, "name"),
            options,
            hold -> {
              Map<String, Object> grant = new LinkedHashMap<>();
              grant.put("token", hold.token());
              grant.put("waitedMs", hold.waitedMs());
              grant.put("expiresAt", hold.expiresAt());
              grant.put("waitedForTraceparent", hold.waitedForTraceparent());
              say(id, "begun", grant);
              while (true) {
                try {
                  Map<String, Object> next = COMMANDS.get(id).take();
                  if (text(next, "do").equals("finish")) {
                    return "result";
                  }
                  if (text(next, "do").equals("fail")) {
                    throw new WorkFailed();
                  }
                  during(id, client, hold, next);
                } catch (InterruptedException lost) {
                  say(id, "aborted", Map.of());
                  if (asked.get("stays") == null) {
                    throw lost;
                  }
                }
              }
            });
    return Map.of("result", result);
  }

  private static void during(
      String id, LockyardClient client, Hold hold, Map<String, Object> command)
      throws InterruptedException {
    switch (text(command, "do")) {
      case "remaining":
        long at = System.currentTimeMillis();
        say(id, "remaining", Map.of("ms", hold.remainingMs(), "at", at));
        return;
      case "step":
        try {
          hold.check();
          say(id, "stepped", Map.of());
        } catch (LockLost lost) {
          say(id, "refused", Map.of());
        }
        return;
      case "nested":
        try {
          LockOptions options = lockOptions(Json.objectIn(command.get("options")));
          options.onAskedToRelease(remark(id, "asked within"));
          client.withLock(
              text(command, "name"),
              options,
              inner -> {
                say(id, "nested", Map.of("token", inner.token()));
                return null;
              });
        } catch (RuntimeException error) {
          say(id, "nested", facts(error));
        }
        return;
      default:
        throw new IllegalArgumentException(String.valueOf(command));
    }
  }

  private static Map<String, Object> facts(Throwable error) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("error", name(error));
    if (error instanceof LockLost) {
      LockLost lost = (LockLost) error;
      facts.put("token", lost.token());
      facts.put("cause", lost.why());
      facts.put("at", lost.at());
      facts.put("by", lost.by());
      facts.put("reason", lost.reason());
    } else if (error instanceof LockTimeout) {
      LockTimeout timeout = (LockTimeout) error;
      facts.put("message", timeout.getMessage());
      facts.put("holders", timeout.holders());
      facts.put("queueLength", timeout.queueLength());
      facts.put("frozen", timeout.frozen());
    } else if (error instanceof LockUpgradeRefused) {
      facts.put("lock", ((LockUpgradeRefused) error).lock());
      facts.put("token", ((LockUpgradeRefused) error).token());
    } else if (error instanceof LockyardException) {
      LockyardException failure = (LockyardException) error;
      facts.put("message", failure.getMessage());
      facts.put("reason", failure.reason());
      facts.put("isUnreachable", failure.isUnreachable());
      facts.put("retryAfterMs", failure.retryAfterMs());
      facts.put("capacity", failure.capacity());
      facts.put("detail", failure.detail());
      facts.put("requestId", failure.requestId());
    } else if (error instanceof ReleaseUnconfirmed) {
      facts.put("result", ((ReleaseUnconfirmed) error).result());
    }
    if (error.getCause() != null) {
      facts.put("because", name(error.getCause()));
    }
    return facts;
  }

  private static String name(Throwable error) {
    if (error instanceof LockyardException) {
      return "LockyardError";
    }
    return error instanceof InterruptedException ? "Abandoned" : error.getClass().getSimpleName();
  }

  private static Map<String, Object> count(Map<String, Object> command) throws Exception {
    LockyardClient client = clientOf(command);
    Path file = Path.of(text(command, "file"));
    List<Thread> workers = new ArrayList<>();
    List<Exception> failures = new ArrayList<>();
    for (long worker = 0; worker < (Long) command.get("workers"); worker++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  for (long round = 0; round < (Long) command.get("rounds"); round++) {
                    client.<Void, IOException>withLock(text(command, "name"), hold -> addOne(file));
                  }
                } catch (IOException | InterruptedException | RuntimeException error) {
                  failures.add(error);
                }
              });
      workers.add(thread);
      thread.start();
    }
    for (Thread worker : workers) {
      worker.join();
    }
    if (!failures.isEmpty()) {
      throw failures.get(0);
    }
    return Map.of();
  }

  private static Void addOne(Path file) throws IOException, InterruptedException {
    long seen = Long.parseLong(Files.readString(file).trim());
    Thread.sleep(1);
    Files.writeString(file, String.valueOf(seen + 1));
    return null;
  }

  private static Map<String, Object> call(Map<String, Object> command) throws Exception {
    LockyardClient client = clientOf(command);
    Map<String, Object> input = Json.objectIn(command.get("input"));
    return Map.of("answer", answer(client, text(command, "procedure"), input));
  }

  private static JsonObject answer(
      LockyardClient client, String procedure, Map<String, Object> input)
      throws InterruptedException {
    switch (procedure) {
      case "acquire":
        return client.acquire(filled(new Wire.LockAcquireInput(), input));
      case "acquireMany":
        return client.acquireMany(filled(new Wire.LockAcquireManyInput(), input));
      case "cancel":
        return client.cancel(filled(new Wire.LockCancelInput(), input));
      case "cancelMany":
        return client.cancelMany(filled(new Wire.LockCancelManyInput(), input));
      case "list":
        return client.list(filled(new Wire.LockListInput(), input));
      case "renew":
        return client.renew(filled(new Wire.LockRenewInput(), input));
      case "createCounter":
        return client.createCounter(filled(new Wire.CounterCreateInput(), input));
      case "addToCounter":
        return client.addToCounter(filled(new Wire.CounterAddInput(), input));
      case "getCounter":
        return client.getCounter(filled(new Wire.CounterGetInput(), input));
      case "inspect":
        return client.inspect(filled(new Wire.LockInspectInput(), input));
      case "check":
        return client.check(filled(new Wire.LockCheckInput(), input));
      case "watch":
        return client.watch(filled(new Wire.LockWatchInput(), input));
      case "release":
        return client.release(filled(new Wire.LockReleaseInput(), input));
      default:
        throw new IllegalArgumentException(procedure);
    }
  }

  private static <I extends JsonObject> I filled(I ask, Map<String, Object> input) {
    input.forEach(ask::put);
    return ask;
  }

  private static LockyardClient clientOf(Map<String, Object> command) {
    Map<String, Object> options = Json.objectIn(command.getOrDefault("client", Map.of()));
    String key = Json.write(options);
    if (!CLIENTS.containsKey(key)) {
      CLIENTS.put(key, new LockyardClient(text(options, "url"), text(options, "apiKey")));
    }
    return CLIENTS.get(key);
  }

  private static LockOptions lockOptions(Map<String, Object> asked) {
    LockOptions options = new LockOptions();
    options.namespace(text(asked, "namespace")).owner(text(asked, "owner"));
    if (asked.containsKey("waitMs")) {
      options.waitFor(duration(asked, "waitMs"));
    }
    if (asked.containsKey("leaseMs")) {
      options.lease(duration(asked, "leaseMs"));
    }
    if (asked.containsKey("holdAtLeastMs")) {
      options.holdAtLeast(duration(asked, "holdAtLeastMs"));
    }
    if ("shared".equals(asked.get("mode"))) {
      options.shared();
    }
    if ("permit".equals(asked.get("mode"))) {
      options.permits((Long) asked.get("permits"), (Long) asked.get("capacity"));
    }
    if (asked.containsKey("reentrant")) {
      options.reentrant();
    }
    if (asked.containsKey("ownHold")) {
      options.ownHold();
    }
    options.traceparent(text(asked, "traceparent"));
    if (asked.containsKey("meta")) {
      Map<String, String> meta = new LinkedHashMap<>();
      Json.objectIn(asked.get("meta")).forEach((key, value) -> meta.put(key, (String) value));
      options.meta(meta);
    }
    return options;
  }

  private static Duration duration(Map<String, Object> options, String option) {
    Object ms = options.get(option);
    return ms == null ? null : Duration.ofMillis((Long) ms);
  }

  private static Consumer<Wire.Remark> remark(String id, String what) {
    return remark -> {
      Map<String, Object> facts = new LinkedHashMap<>(remark.asMap());
      facts.put("what", what);
      say(id, "remark", facts);
    };
  }

  private static String text(Map<String, Object> fields, String name) {
    return (String) fields.get(name);
  }
}
