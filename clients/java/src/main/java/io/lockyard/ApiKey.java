package io.lockyard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The key in use: the given one, or that of the environment. */
final class ApiKey {
  private final boolean isGiven;
  private String text;

  /**
   * @param given null or empty: from the environment
   */
  ApiKey(String given) {
    this.isGiven = given != null && !given.isEmpty();
    this.text = usable(isGiven ? given : ofEnvironment());
  }

  /** A request that is sent with a key. */
  interface Call<T> {
    T with(String key) throws InterruptedException;
  }

  /** Calls once more with another key if the first is refused, for then nothing was done. */
  <T> T use(Call<T> call) throws InterruptedException {
    String used = present();
    try {
      return call.with(used);
    } catch (LockyardException failure) {
      if (!failure.reason().equals("UNAUTHENTICATED") || !replace(used)) {
        throw failure;
      }
    }
    return call.with(present());
  }

  private synchronized String present() {
    return text;
  }

  /**
   * Reads the file of the environment again, in case the refused key was rotated. A file that
   * cannot be read changes nothing.
   *
   * @return whether another key than the refused one is in use now
   */
  private synchronized boolean replace(String refused) {
    if (!isGiven && text.equals(refused)) {
      try {
        text = usable(ofEnvironment());
      } catch (LockyardException unusable) {
        return false;
      }
    }
    return !text.equals(refused);
  }

  private static String usable(String given) {
    String key = LockyardClient.needed(given, "apiKey", "LOCKYARD_API_KEY").strip();
    if (!key.matches("[!-~]+")) {
      throw Addresses.invalid("The API key has characters that no key has.");
    }
    return key;
  }

  private static String ofEnvironment() {
    String key = System.getenv("LOCKYARD_API_KEY");
    String file = System.getenv("LOCKYARD_API_KEY_FILE");
    if (file == null || file.isEmpty()) {
      return key;
    }
    if (key != null && !key.isEmpty()) {
      throw Addresses.invalid(
          "LOCKYARD_API_KEY and LOCKYARD_API_KEY_FILE are both set: set one.");
    }
    String content;
    try {
      content = Files.readString(Path.of(file)).replaceAll("[\r\n]+$", "");
    } catch (IOException unreadable) {
      throw Addresses.invalid("The file of LOCKYARD_API_KEY_FILE cannot be read: " + file);
    }
    if (content.isEmpty()) {
      throw Addresses.invalid("The file of LOCKYARD_API_KEY_FILE is empty: " + file);
    }
    return content;
  }
}
