package io.lockyard;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What identifies this process in the {@code meta} of its holds, for a witness. */
final class ProcessMeta {
  private static final int MAX_BYTES = 1_024;
  private static final String INITIAL_TIME_NAMESPACE = "4026531834";
  private static final Pattern IN_BRACKETS = Pattern.compile("\\[(\\d+)]$");

  private ProcessMeta() {}

  static Map<String, String> ofThis(String version) {
    Map<String, String> meta = new LinkedHashMap<>();
    meta.put("host", cut(hostName(), 60));
    meta.put("pid", String.valueOf(ProcessHandle.current().pid()));
    meta.put("version", version);
    addKernelIdentity(meta);
    if (System.getenv("KUBERNETES_SERVICE_HOST") != null) {
      addFirst(meta, "pod", "POD_NAME", "HOSTNAME");
    }
    addFirst(meta, "ciRun", "GITHUB_RUN_ID", "CI_JOB_ID", "BUILDKITE_JOB_ID", "BUILD_TAG");
    return meta;
  }

  /**
   * The caller's entries, which take precedence, and what identifies the process; of that only
   * host, pid and version if there is no room for all.
   */
  static Map<String, String> with(Map<String, String> identity, Map<?, ?> own) {
    Map<String, String> whole = new LinkedHashMap<>(identity);
    Map<String, String> plain = new LinkedHashMap<>();
    for (String key : new String[] {"host", "pid", "version"}) {
      plain.put(key, identity.get(key));
    }
    own.forEach((key, value) -> whole.put(String.valueOf(key), String.valueOf(value)));
    own.forEach((key, value) -> plain.put(String.valueOf(key), String.valueOf(value)));
    boolean hasRoom = Json.write(whole).getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES;
    return hasRoom ? whole : plain;
  }

  /** The machine's host name; Java's own API would need it to be resolvable. */
  private static String hostName() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).trim();
    } catch (IOException notLinux) {
      return resolvedHostName();
    }
  }

  private static String resolvedHostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException unnamed) {
      return "unknown";
    }
  }

  private static void addFirst(Map<String, String> meta, String key, String... variables) {
    for (String variable : variables) {
      String value = System.getenv(variable);
      if (value != null && !value.isEmpty()) {
        meta.put(key, cut(value, 100));
        return;
      }
    }
  }

  /** Adds nothing if the kernel does not report it, or the report could be misread. */
  private static void addKernelIdentity(Map<String, String> meta) {
    try {
      String bootId = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).trim();
      String stat = Files.readString(Path.of("/proc/self/stat"));
      String self = Files.readSymbolicLink(Path.of("/proc/self")).toString();
      String pidNamespace = namespace("pid");
      boolean isOurs = self.equals(meta.get("pid"));
      if (!isOurs || pidNamespace == null || !isInitial(namespace("time"))) {
        return;
      }
      // The second field is the program's name in brackets, and may contain spaces and brackets.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      meta.put("bootId", bootId);
      meta.put("pidNamespace", pidNamespace);
      meta.put("pidStart", fields[19]);
    } catch (IOException | RuntimeException notLinux) {
      // Then a witness cannot check this process.
    }
  }

  private static boolean isInitial(String timeNamespace) {
    return timeNamespace == null || timeNamespace.equals(INITIAL_TIME_NAMESPACE);
  }

  private static String namespace(String kind) {
    try {
      String link = Files.readSymbolicLink(Path.of("/proc/self/ns/" + kind)).toString();
      Matcher found = IN_BRACKETS.matcher(link);
      return found.find() ? found.group(1) : null;
    } catch (IOException none) {
      return null;
    }
  }

  /** Cuts between characters: half a surrogate pair would make every call invalid. */
  private static String cut(String text, int chars) {
    int length = Math.min(chars, text.codePointCount(0, text.length()));
    return text.substring(0, text.offsetByCodePoints(0, length));
  }
}
