package io.lockyard;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** An object on the wire. */
public abstract class JsonObject {
  private final Map<String, Object> fields;

  JsonObject() {
    this(new LinkedHashMap<>());
  }

  JsonObject(Map<String, Object> fields) {
    this.fields = fields;
  }

  /** All fields, including those unknown to this client; numbers are {@code Long}. */
  public Map<String, Object> asMap() {
    return Collections.unmodifiableMap(fields);
  }

  @Override
  public String toString() {
    return Json.write(fields);
  }

  void put(String field, Object value) {
    fields.put(field, value);
  }

  String text(String field) {
    return fields.get(field) instanceof String ? (String) fields.get(field) : null;
  }

  Long number(String field) {
    Object value = fields.get(field);
    return value instanceof Number ? (Long) ((Number) value).longValue() : null;
  }

  Boolean truth(String field) {
    return fields.get(field) instanceof Boolean ? (Boolean) fields.get(field) : null;
  }

  <T> T needed(String field, T value) {
    if (value != null) {
      return value;
    }
    throw new LockyardException("UNKNOWN", "The answer has no \"" + field + "\".");
  }

  <T> T object(String field, Function<Map<String, Object>, T> make) {
    Map<String, Object> found = Json.objectIn(fields.get(field));
    return found == null ? null : make.apply(found);
  }

  <T> List<T> objects(String field, Function<Map<String, Object>, T> make) {
    List<T> made = new ArrayList<>();
    for (Object each : listOf(field)) {
      made.add(make.apply(Json.objectIn(each)));
    }
    return made;
  }

  List<String> texts(String field) {
    List<String> found = new ArrayList<>();
    for (Object each : listOf(field)) {
      found.add(String.valueOf(each));
    }
    return found;
  }

  private List<?> listOf(String field) {
    return fields.get(field) instanceof List ? (List<?>) fields.get(field) : List.of();
  }
}
