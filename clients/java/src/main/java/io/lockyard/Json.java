package io.lockyard;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** As much of JSON as the API needs: Java has no parser of its own. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** Null for anything that is not JSON, or is nested too deeply. */
  static Object read(String text) {
    try {
      Json json = new Json(text);
      Object value = json.value();
      json.space();
      return json.at == text.length() ? value : null;
    } catch (RuntimeException | StackOverflowError notJson) {
      return null;
    }
  }

  /** Null for anything but an object. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> objectIn(Object value) {
    return value instanceof Map ? (Map<String, Object>) value : null;
  }

  /** Whether the text can be sent unchanged: it has no half of a surrogate pair. */
  static boolean isWellFormed(String text) {
    return StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  static String write(Object value) {
    StringBuilder into = new StringBuilder();
    write(value, into);
    return into.toString();
  }

  private static void write(Object value, StringBuilder into) {
    if (value instanceof JsonObject) {
      write(((JsonObject) value).asMap(), into);
    } else if (value instanceof Map) {
      char before = '{';
      for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
        into.append(before);
        quote(String.valueOf(entry.getKey()), into);
        into.append(':');
        write(entry.getValue(), into);
        before = ',';
      }
      into.append(before == '{' ? "{}" : "}");
    } else if (value instanceof Iterable) {
      char before = '[';
      for (Object each : (Iterable<?>) value) {
        into.append(before);
        write(each, into);
        before = ',';
      }
      into.append(before == '[' ? "[]" : "]");
    } else if (value instanceof CharSequence) {
      quote(value.toString(), into);
    } else {
      into.append(value);
    }
  }

  private static void quote(String text, StringBuilder into) {
    into.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        into.append('\\').append(c);
      } else if (c < ' ') {
        into.append(String.format("\\u%04x", (int) c));
      } else {
        into.append(c);
      }
    }
    into.append('"');
  }

  private Object value() {
    space();
    switch (text.charAt(at)) {
      case '{':
        return object();
      case '[':
        return list();
      case '"':
        return string();
      case 't':
        return word("true", true);
      case 'f':
        return word("false", false);
      case 'n':
        return word("null", null);
      default:
        return number();
    }
  }

  private Map<String, Object> object() {
    Map<String, Object> fields = new LinkedHashMap<>();
    while (another(fields.isEmpty(), '}')) {
      space();
      String name = string();
      space();
      expect(':');
      fields.put(name, value());
    }
    return fields;
  }

  private List<Object> list() {
    List<Object> items = new ArrayList<>();
    while (another(items.isEmpty(), ']')) {
      items.add(value());
    }
    return items;
  }

  /** Whether an item follows the bracket, or the item before. */
  private boolean another(boolean isFirst, char end) {
    if (isFirst) {
      at++;
    }
    space();
    if (text.charAt(at) == end) {
      at++;
      return false;
    }
    if (!isFirst) {
      expect(',');
    }
    return true;
  }

  private String string() {
    expect('"');
    StringBuilder into = new StringBuilder();
    for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
      into.append(c == '\\' ? escaped() : c);
    }
    return into.toString();
  }

  private char escaped() {
    char c = text.charAt(at++);
    switch (c) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'u':
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
      default:
        return c;
    }
  }

  private Number number() {
    int from = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String digits = text.substring(from, at);
    if (digits.matches("-?\\d+")) {
      return Long.valueOf(digits);
    }
    return Double.valueOf(digits);
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw new IllegalArgumentException();
    }
    at += word.length();
    return value;
  }

  private void expect(char c) {
    if (text.charAt(at++) != c) {
      throw new IllegalArgumentException();
    }
  }

  private void space() {
    while (at < text.length() && text.charAt(at) <= ' ') {
      at++;
    }
  }
}
