package io.lockyard;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;

/**
 * The client of a Lockyard lock service. One is enough for a program; any number of threads can use
 * it.
 *
 * <p>Each procedure sends one request; the client fills in a missing owner and namespace of its
 * input. {@link #withLock} adds waiting, renewing, retrying and releasing.
 */
public final class LockyardClient extends Procedures {
  private static final String VERSION = "lockyard-java 0.1.0";
  private static final SecureRandom RANDOM = new SecureRandom();

  /** The mutations that are safe to repeat without a request id. */
  private static final Set<String> REPEATABLE =
      Set.of("lock.renew", "lock.watch", "counter.create");

  private static final Set<String> OWNED =
      Set.of(
          "lock.acquire",
          "lock.acquireMany",
          "lock.cancel",
          "lock.cancelMany",
          "lock.renew",
          "lock.release");

  private final Addresses addresses;
  private final ApiKey key;
  private final Exchange exchange;
  private final String namespace;
  private final String owner;
  private final Map<String, String> meta;

  /**
   * Takes the addresses from {@code LOCKYARD_URL}, and the key from {@code LOCKYARD_API_KEY} or the
   * file that {@code LOCKYARD_API_KEY_FILE} names, which is read again when its key is refused.
   *
   * @throws LockyardException {@code INVALID} if they are missing or invalid
   */
  public LockyardClient() {
    this(null, null);
  }

  /**
   * @param url {@code http(s)://…}, or several servers of one database, separated by commas; null
   *     or empty: from the environment, like the key
   */
  public LockyardClient(String url, String apiKey) {
    this(url, apiKey, null, null, null);
  }

  /**
   * @param namespace for calls that name none; null: {@code default}
   * @param owner the owner id of this client's holds, at most 100 bytes; null: host, process id,
   *     random text
   * @param version of this program, shown to operators with its holds; null: that of this package
   */
  public LockyardClient(
      String url, String apiKey, String namespace, String owner, String version) {
    this(url, apiKey, namespace, owner, version, null);
  }

  /**
   * As {@link #LockyardClient(String, String, String, String, String)}.
   *
   * @param sslContext of https connections, as for a certificate of the client; null: with the
   *     certificate authorities of Java, or of {@code javax.net.ssl.trustStore}
   */
  public LockyardClient(
      String url,
      String apiKey,
      String namespace,
      String owner,
      String version,
      SSLContext sslContext) {
    boolean isGiven = url != null && !url.isEmpty();
    String at = isGiven ? url : System.getenv("LOCKYARD_URL");
    this.addresses = new Addresses(needed(at, "url", "LOCKYARD_URL"));
    this.key = new ApiKey(apiKey);
    this.exchange = new Exchange(addresses.count() > 1, sslContext);
    this.namespace = namespace == null ? "default" : namespace;
    this.meta = ProcessMeta.ofThis(version == null ? VERSION : version);
    String chance = newRequestId().substring(0, 6);
    this.owner =
        owner == null ? meta.get("host") + ":" + meta.get("pid") + ":" + chance : owner;
  }

  /** Work under a lock. */
  public interface Work<T, X extends Exception> {
    T run(Hold hold) throws X, InterruptedException;
  }

  /** {@link #withLock(String, LockOptions, Work)} with the defaults. */
  public <T, X extends Exception> T withLock(String name, Work<T, X> work)
      throws X, InterruptedException {
    return withLock(name, new LockOptions(), work);
  }

  /**
   * Runs the work while holding the lock: waits for it, renews it every third of its lease, always
   * releases it, and returns what the work returned. When the hold is lost, the thread that works
   * is interrupted.
   *
   * <p>Within the work, in its thread, {@code withLock} of the same lock by the same client runs
   * under this hold immediately, without a request.
   *
   * <p>What no lock can guarantee: a paused process may still write after its lease has expired,
   * before it can notice. Only the guarded resource can refuse that write, by {@link Hold#token}.
   * {@link Hold#check} right before a write narrows the gap, but never closes it.
   *
   * @throws LockTimeout not granted in time; the work never ran
   * @throws LockLost the hold ended before the work did; takes precedence over an exception of the
   *     work, which is its cause
   * @throws ReleaseUnconfirmed the work is done, under a valid hold, but its release was not
   *     answered
   * @throws LockUpgradeRefused within work whose hold grants less of the same lock
   * @throws LockyardException refused, or no answer in time; the work never ran
   * @throws InterruptedException the caller was interrupted, and has left the queue
   */
  public <T, X extends Exception> T withLock(String name, LockOptions options, Work<T, X> work)
      throws X, InterruptedException {
    refuseNull(work, "The work of withLock is");
    refuseNull(options, "The options of withLock are");
    Wire.LockAcquireInput ask = acquireInput(name, options);
    Hold outer = options.takesOwnHold ? null : Hold.around(this, ask, options.owner != null);
    if (outer != null) {
      return outer.workWithin(options, work);
    }
    GrantWait.Grant grant = GrantWait.await(this, ask, options);
    return new Hold(this, ask, grant).work(options, work);
  }

  /**
   * Acquires the lock for a fixed time, and does not renew it. Throws as {@link #withLock} does
   * before the work begins. Within work under the same lock it waits for that work.
   */
  public Lease acquireLease(String name, LockOptions options) throws InterruptedException {
    refuseNull(options, "The options of acquireLease are");
    Wire.LockAcquireInput ask = acquireInput(name, options);
    return new Lease(this, ask, GrantWait.await(this, ask, options));
  }

  @Override
  Map<String, Object> call(String procedure, String kind, Map<String, Object> ask)
      throws InterruptedException {
    long timeout = Timing.ANSWER_WITHIN;
    Object wait = ask.get("waitMs");
    if (wait instanceof Number) {
      timeout += Math.min(((Number) wait).longValue(), Timing.HELD_OPEN);
    } else if (procedure.equals("lock.watch")) {
      timeout += Timing.HELD_OPEN;
    }
    return send(procedure, kind, ask, timeout, null);
  }

  /**
   * Sends to the address in use. If no connection can be made, and the request was not sent or is
   * safe to repeat, tries the others in turn; the one that answers stays in use.
   */
  Map<String, Object> send(
      String procedure, String kind, Map<String, Object> ask, long timeout, Long connectWithin)
      throws InterruptedException {
    Map<String, Object> whole = completed(procedure, ask);
    Object traceparent = OWNED.contains(procedure) ? whole.remove("traceparent") : null;
    String body = bodyOf(whole);
    long until = Timing.now() + timeout;
    boolean mayRepeat =
        kind.equals("query") || REPEATABLE.contains(procedure) || whole.get("requestId") != null;
    List<LockyardException> failures = new ArrayList<>();
    for (String address : addresses.inOrder()) {
      long sentAt = Timing.now();
      try {
        Map<String, Object> answer =
            key.use(
                used ->
                    exchange.send(
                        address,
                        used,
                        procedure,
                        kind,
                        body,
                        until - Timing.now(),
                        connectWithin,
                        traceparent));
        boolean isQueued = "queued".equals(answer.get("outcome"));
        if (isQueued && Timing.now() - sentAt < Timing.AT_ONCE) {
          addresses.leave(address);
        }
        return answer;
      } catch (LockyardException failure) {
        if (!failure.isServerFailure()) {
          throw failure;
        }
        addresses.leave(address);
        failures.add(failure);
        boolean neverLeft = failure.reason().equals("BACKEND_DOWN");
        boolean mayMove = failure.isUnreachable() && (mayRepeat || neverLeft);
        if (!mayMove || Timing.now() >= until) {
          throw failure;
        }
      }
    }
    throw noneReachable(failures);
  }

  int addressCount() {
    return addresses.count();
  }

  /** Globally unique: for request ids and default owners. */
  static String newRequestId() {
    byte[] bytes = new byte[16];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static LockyardException noneReachable(List<LockyardException> failures) {
    if (failures.size() == 1) {
      return failures.get(0);
    }
    boolean isKnown = failures.stream().allMatch(each -> each.reason().equals("BACKEND_DOWN"));
    String what = "Lockyard cannot be reached at any of " + failures.size() + " addresses.";
    return LockyardException.unreachable(
        isKnown ? "BACKEND_DOWN" : "UNKNOWN", what, failures.get(0));
  }

  private Map<String, Object> completed(String procedure, Map<String, Object> ask) {
    Map<String, Object> whole = new LinkedHashMap<>(ask);
    whole.putIfAbsent("namespace", namespace);
    if (OWNED.contains(procedure)) {
      whole.putIfAbsent("owner", owner);
    }
    if (procedure.equals("lock.acquire") || procedure.equals("lock.acquireMany")) {
      Map<String, Object> own = Json.objectIn(whole.get("meta"));
      whole.put("meta", ProcessMeta.with(meta, own == null ? Map.of() : own));
    }
    return whole;
  }

  /**
   * @throws LockyardException {@code INVALID} for text that UTF-8 cannot represent: Java would send
   *     half of a surrogate pair as a question mark
   */
  private static String bodyOf(Map<String, Object> whole) {
    String body = Json.write(whole);
    if (Json.isWellFormed(body)) {
      return body;
    }
    for (Map.Entry<String, Object> field : whole.entrySet()) {
      if (!Json.isWellFormed(Json.write(field.getValue()))) {
        throw Addresses.invalid(field.getKey() + ": must be well-formed Unicode");
      }
    }
    return body;
  }

  private static void refuseNull(Object argument, String what) {
    if (argument == null) {
      throw Addresses.invalid(what + " null.");
    }
  }

  private Wire.LockAcquireInput acquireInput(String name, LockOptions options) {
    refuseNull(name, "The name of the lock is");
    if (options.wait != null && options.wait.isNegative()) {
      throw Addresses.invalid("waitFor is negative: it must be zero to 10 minutes, or null.");
    }
    long atLeast = options.holdAtLeast == null ? 0 : options.holdAtLeast.toMillis();
    Duration lease = options.lease;
    Wire.LockAcquireInput ask =
        new Wire.LockAcquireInput()
            .namespace(options.namespace == null ? namespace : options.namespace)
            .name(name)
            .owner(options.owner == null ? owner : options.owner)
            .leaseMs(lease == null ? Math.max(30_000, atLeast) : lease.toMillis())
            .mode(options.mode)
            .reentrant(options.isReentrant)
            .meta(options.meta);
    if (options.holdAtLeast != null) {
      ask.holdAtLeastMs(atLeast);
    }
    if (options.permits != null) {
      ask.permits(options.permits).capacity(options.capacity);
    }
    return ask;
  }

  static String needed(String value, String argument, String variable) {
    if (value == null || value.isEmpty()) {
      throw Addresses.invalid("Missing `" + argument + "`: pass it, or set " + variable + ".");
    }
    return value;
  }
}
