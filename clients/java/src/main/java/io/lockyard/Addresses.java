package io.lockyard;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** The addresses of one Lockyard; one is in use: the first until it fails, then the next. */
final class Addresses {
  private final List<String> all = new ArrayList<>();
  private int at;

  Addresses(String text) {
    String[] entries = text.split(",", -1);
    for (String entry : entries) {
      String subject =
          entries.length == 1
              ? "Lockyard's URL"
              : "Entry " + (all.size() + 1) + " of Lockyard's URLs";
      String address = read(entry.trim(), subject);
      if (all.contains(address)) {
        throw invalid(subject + " repeats an earlier one.");
      }
      all.add(address);
    }
  }

  int count() {
    return all.size();
  }

  synchronized List<String> inOrder() {
    List<String> ordered = new ArrayList<>(all.subList(at, all.size()));
    ordered.addAll(all.subList(0, at));
    return ordered;
  }

  /**
   * Moves to the next one if {@code address} is in use: several calls may notice the same failure.
   */
  synchronized void leave(String address) {
    if (all.get(at).equals(address)) {
      at = (at + 1) % all.size();
    }
  }

  static LockyardException invalid(String message) {
    return new LockyardException("INVALID", message);
  }

  /** Never quotes what it refuses, since that may be a secret. */
  private static String read(String text, String subject) {
    if (text.isEmpty()) {
      throw invalid(subject + " is empty.");
    }
    URI uri;
    try {
      uri = URI.create(text);
    } catch (IllegalArgumentException notOne) {
      throw notHttp(subject);
    }
    String scheme = String.valueOf(uri.getScheme());
    if (!scheme.matches("(?i)https?") || uri.getAuthority() == null) {
      throw notHttp(subject);
    }
    if (uri.getRawAuthority().contains("@")) {
      throw invalid(subject + " must not contain a user or a password.");
    }
    if (text.contains("?") || text.contains("#")) {
      throw invalid(subject + " must not have a query or a fragment.");
    }
    if (uri.getHost() == null || uri.getPort() > 65_535) {
      throw notHttp(subject);
    }
    return text.replaceAll("/+$", "");
  }

  private static LockyardException notHttp(String subject) {
    return invalid(subject + " must be an http or https URL, such as http://127.0.0.1:3000.");
  }
}
