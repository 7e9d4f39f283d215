package org.tpubootd.health;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/** Writes and reads {@link StatusDocument}s as JSON. Thread-safe. */
public final class StatusJson {

  private final JsonMapper mapper =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .build();

  /** Fields in the order of the records, facts by name: equal documents are equal texts. */
  public String write(StatusDocument document) throws IOException {
    return mapper.writeValueAsString(document);
  }

  /**
   * Reads what a daemon of this or of a later version wrote; fields that are not known are passed
   * over.
   *
   * @throws IOException where the text is no such document; the message says what is wrong with it
   */
  public StatusDocument read(String json) throws IOException {
    try {
      StatusDocument document = mapper.readValue(json, StatusDocument.class);
      if (document == null) {
        throw new IOException("not a status document: it is null");
      }
      return document;
    } catch (JsonProcessingException e) {
      throw new IOException("not a status document: " + e.getOriginalMessage(), e);
    }
  }
}
