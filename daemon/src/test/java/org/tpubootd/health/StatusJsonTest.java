package org.tpubootd.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tpubootd.core.Condition;
import org.tpubootd.core.Finding;
import org.tpubootd.core.Part;

class StatusJsonTest {

  private static final Instant SINCE = Instant.parse("2026-11-30T08:00:00.123456Z");

  private final StatusJson json = new StatusJson();

  private static StatusDocument document(Finding finding) {
    var part = new Part("devices", Part.Group.HOST, true);
    return StatusDocument.of(
        List.of(new Condition(part, finding, SINCE, 3)), List.of("tpu-env"), "0.1.0", SINCE);
  }

  @Test
  void write_isStable() throws Exception {
    var finding =
        Finding.failed("3 of 4 bound", "one hangs", "look at it")
            .withNotes(List.of("an unknown id"))
            .withFacts(Map.of("z", 1, "chips", List.of("a", "b"), "m", Map.of("b", 1, "a", 2)));
    assertThat(json.write(document(finding)))
        .isEqualTo(
            """
            {
              "ready" : false,
              "hostReady" : false,
              "version" : "0.1.0",
              "started" : "2026-11-30T08:00:00.123Z",
              "stuck" : [ "tpu-env" ],
              "parts" : [ {
                "name" : "devices",
                "group" : "host",
                "required" : true,
                "state" : "failed",
                "since" : "2026-11-30T08:00:00.123Z",
                "summary" : "3 of 4 bound",
                "cause" : "one hangs",
                "action" : "look at it",
                "notes" : [ "an unknown id" ],
                "attempts" : 3,
                "facts" : {
                  "chips" : [ "a", "b" ],
                  "m" : {
                    "a" : 2,
                    "b" : 1
                  },
                  "z" : 1
                }
              } ]
            }\
            """
                .stripTrailing());
  }

  @Test
  void read_givesBackWhatWasWritten() throws Exception {
    var document = document(Finding.ok("4 of 4").withFacts(Map.of("chips", 4)));
    assertThat(json.read(json.write(document))).isEqualTo(document);
    assertThat(document.ready()).isTrue();
    assertThat(document.parts().getFirst().cause()).isNull();
  }

  @Test
  void read_laterVersion_passesOverWhatItDoesNotKnow() throws Exception {
    var read =
        json.read(
            """
            {"ready": true, "new": {"x": 1}, "version": "9", "parts":
             [{"name": "devices", "state": "ok", "newer": [1], "summary": "fine"}]}
            """);
    assertThat(read.ready()).isTrue();
    assertThat(read.stuck()).isEmpty();
    assertThat(read.parts().getFirst().notes()).isEmpty();
    assertThat(read.parts().getFirst().facts()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"<html>", "", "null", "[]", "{\"parts\": 7}"})
  void read_somethingElse_isAnErrorWithASentence(String text) {
    assertThatThrownBy(() -> json.read(text))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("not a status document: ");
  }

  @Test
  void facts_ofAnyKind_becomePlain() throws Exception {
    var odd = new LinkedHashMap<String, Object>();
    odd.put("path", Path.of("/sys/bus"));
    odd.put("time", SINCE);
    odd.put("nested", List.of(Map.of("group", Part.Group.HOST)));
    assertThat(json.write(document(Finding.ok("x").withFacts(odd))))
        .contains("\"path\" : \"/sys/bus\"")
        .contains("\"time\" : \"2026-11-30T08:00:00.123456Z\"")
        .contains("\"group\" : \"HOST\"");
  }
}
