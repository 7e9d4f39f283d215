package org.tpubootd.tests.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tpubootd.tests.packaging.BuiltPackage.PROJECT;
import static org.tpubootd.tests.packaging.BuiltPackage.STAGE;
import static org.tpubootd.tests.packaging.BuiltPackage.VERSION;
import static org.tpubootd.tests.packaging.BuiltPackage.deb;
import static org.tpubootd.tests.packaging.BuiltPackage.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tpubootd.tests.NeedsPart;
import org.tpubootd.tests.NeedsPart.Part;

/** What is in the package. */
@Tag("real")
@Tag("package")
@NeedsPart(Part.DPKG_DEB)
class PackageContentsIT {

  private static final long MIB = 1024 * 1024;

  private static String field(String name) throws Exception {
    return run("dpkg-deb", "-f", deb().toString(), name).ok().out().strip();
  }

  @Test
  void fields_nameProgramVersionAndNoEngine() throws Exception {
    assertThat(field("Package")).isEqualTo("tpu-bootd");
    assertThat(field("Version")).isEqualTo(VERSION);
    assertThat(field("Architecture"))
        .isEqualTo(run("dpkg", "--print-architecture").ok().out().strip());
    assertThat(field("Depends")).doesNotContain("docker").doesNotContain("java");
    assertThat(field("Recommends")).isEqualTo("docker.io | docker-ce");
  }

  @Test
  void sizes_areWithinTheLimits() throws Exception {
    assertThat(Files.size(deb())).isLessThanOrEqualTo(38 * MIB);
    assertThat(Long.parseLong(field("Installed-Size"))).isLessThanOrEqualTo(125 * MIB / 1024);
  }

  @Test
  void everyFileBelowEtcIsAConffile() throws Exception {
    String conffiles = run("dpkg-deb", "-I", deb().toString(), "conffiles").ok().out();
    try (var files = Files.walk(STAGE.resolve("etc"))) {
      assertThat(conffiles.lines())
          .containsExactlyInAnyOrderElementsOf(
              files
                  .filter(Files::isRegularFile)
                  .map(file -> "/" + STAGE.relativize(file))
                  .toList());
    }
  }

  @Test
  void everythingBelongsToRoot() throws Exception {
    String list = run("dpkg-deb", "-c", deb().toString()).ok().out();
    assertThat(list.lines()).allMatch(line -> line.contains(" root/root "));
  }

  @Test
  @NeedsPart({Part.DPKG_DEB, Part.LINTIAN})
  void lintian_hasNothingToSay() throws Exception {
    var said =
        run(
            "lintian",
            "--allow-root",
            "--no-tag-display-limit",
            "--fail-on",
            "error,warning",
            deb().toString());
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(said.out()).isEmpty();
  }

  /** As the program's own help lists them. */
  private static List<String> commands() throws Exception {
    String help = run(STAGE.resolve("usr/bin/tpu-bootd").toString(), "--help").ok().out();
    String list = help.substring(help.indexOf("Commands:"), help.indexOf("Exit codes:"));
    List<String> commands =
        Pattern.compile("(?m)^  ([a-z]+) ").matcher(list).results().map(m -> m.group(1)).toList();
    assertThat(commands).contains("run", "status", "metadata");
    return commands;
  }

  @Test
  void manPage_tellsOfEveryCommand() throws Exception {
    String page = unpacked("usr/share/man/man8/tpu-bootd.8.gz");
    for (String command : commands()) {
      assertThat(page).containsPattern("(?m)^\\.B[RI]? \"?" + command + "\\b");
    }
  }

  @Test
  void manPage_hasEveryKeyOfTheConfiguration() throws Exception {
    String page = unpacked("usr/share/man/man5/tpu-bootd.yaml.5.gz").replace("\\-", "-");
    String config = Files.readString(STAGE.resolve("etc/tpu-bootd/config.yaml"));
    List<String> keys =
        Pattern.compile("(?m)^# *[a-z-]+:").matcher(config).results().map(m -> m.group()).toList();
    assertThat(keys).hasSizeGreaterThan(50);
    assertThat(page).contains(keys);
  }

  private static String unpacked(String file) throws Exception {
    return run("gzip", "-dc", STAGE.resolve(file).toString()).ok().out();
  }

  @Test
  @NeedsPart({Part.DPKG_DEB, Part.BASH})
  void completion_offersEveryCommand() throws Exception {
    Path completion = STAGE.resolve("usr/share/bash-completion/completions/tpu-bootd");
    String script =
        """
        . %s
        COMP_WORDS=(tpu-bootd '') COMP_CWORD=1 COMP_LINE='tpu-bootd ' COMP_POINT=10
        $(complete -p tpu-bootd | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
        printf '%%s\\n' "${COMPREPLY[@]}"
        """
            .formatted(completion);
    assertThat(run("bash", "-c", script).ok().out().lines()).containsAll(commands());
  }

  /** The rules only tag, so that they need not be right for the daemon; but they are to be. */
  @Test
  void udevRules_tagTheFunctionsThatTheTableOfGenerationsBinds() throws Exception {
    String table =
        Files.readString(
            PROJECT.resolve("daemon/src/main/resources/org/tpubootd/pci/generations.yaml"));
    var bound = new ArrayList<String>();
    for (String row : table.substring(0, table.indexOf("\nreported:")).split("- name: ")) {
      if (row.contains("\n    node: vfio\n") && !row.startsWith("#")) {
        String name = row.substring(0, row.indexOf('\n'));
        bound.add(name + " " + value(row, "device") + " " + value(row, "subsystem-device"));
      }
    }
    String rules = Files.readString(STAGE.resolve("usr/lib/udev/rules.d/60-tpu-bootd.rules"));
    List<String> tagged =
        rules
            .lines()
            .filter(line -> line.contains("TAG+=\"tpu\""))
            .map(line ->
                find(line, "TPU_GENERATION}=\"(\\w+)")
                    + " "
                    + find(line, "ATTR\\{device}==\"0x(\\w+)")
                    + " "
                    + find(line, "ATTR\\{subsystem_device}==\"0x(\\w+)"))
            .toList();
    assertThat(bound).isNotEmpty();
    assertThat(tagged).containsExactlyInAnyOrderElementsOf(bound);
  }

  private static String value(String row, String key) {
    return find(row, "\\n +" + key + ": \"(\\w+)\"");
  }

  private static String find(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .findFirst()
        .map((MatchResult result) -> result.group(1))
        .orElse("-");
  }

  @Test
  void stagedAgain_isTheSame(@TempDir Path other) throws Exception {
    for (String part : List.of("runtime", "picocli")) {
      run("cp", "-a", BuiltPackage.TARGET.resolve(part).toString(), other.toString()).ok();
    }
    var environment =
        Map.of(
            "TARGET",
            other.toString(),
            "VERSION",
            VERSION,
            "TIMESTAMP",
            System.getProperty("tpubootd.timestamp"),
            "TZ",
            "Asia/Seoul",
            "LC_ALL",
            "C.UTF-8");
    String build = BuiltPackage.PACKAGING.resolve("build").toString();
    run(environment, List.of("sh", "-c", "umask 077 && exec \"$0\" stage", build)).ok();
    assertThat(listOf(other.resolve("stage"))).isEqualTo(listOf(STAGE));
  }

  /** What tests/run compares two whole builds by. */
  @Test
  void samePackage_leavesOutTheCacheAndNothingElse(@TempDir Path other) throws Exception {
    String compare = PROJECT.resolve("tests/same-package").toString();
    Path tree = other.resolve("tree");
    run("dpkg-deb", "-R", deb().toString(), tree.toString()).ok();
    Files.writeString(tree.resolve("usr/lib/tpu-bootd/tpu-bootd.aot"), "another cache");
    assertThat(run(compare, deb().toString(), packed(tree)))
        .isEqualTo(new BuiltPackage.Said(0, "", ""));

    run("chmod", "o+w", tree.resolve("etc/tpu-bootd/config.yaml").toString()).ok();

    var said = run(compare, deb().toString(), packed(tree));
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.out()).contains("rw-r--rw-").contains("./etc/tpu-bootd/config.yaml");
  }

  private static String packed(Path tree) throws Exception {
    Path made = tree.resolveSibling("made.deb");
    var when = Instant.parse(System.getProperty("tpubootd.timestamp"));
    run(
            Map.of("SOURCE_DATE_EPOCH", String.valueOf(when.getEpochSecond())),
            List.of(
                "dpkg-deb", "--root-owner-group", "-Znone", "-b", tree.toString(), made.toString()))
        .ok();
    return made.toString();
  }

  @Test
  void examples_comeWithThePackage() throws Exception {
    Path examples = STAGE.resolve("usr/share/doc/tpu-bootd/examples");
    assertThat(examples.resolve("packer/tpu-image.pkr.hcl")).exists();
    assertThat(examples.resolve("cloud-init/user-data.yaml")).exists();
    assertThat(examples.resolve("packer/provision.sh")).isExecutable();
  }

  /** Everything but the cache, which the JVM makes differently each time. */
  private static String listOf(Path tree) throws IOException, InterruptedException {
    String script =
        """
        cd "$0" && find . ! -name 'tpu-bootd.aot*' -printf '%p %y %m %T@ %l\\n' | sort
        find . -type f ! -name 'tpu-bootd.aot*' -exec sha256sum {} + | sort -k 2
        """;
    return run("sh", "-c", script, tree.toString()).ok().out();
  }
}
