package org.tpubootd;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds the arrows between the rooms: each may use itself, and what is listed here. */
class ArchitectureTest {

  private static final String OURS = "org.tpubootd";

  private static final Map<String, Set<String>> ARROWS =
      Map.of(
          "core", Set.of(),
          "config", Set.of("core"),
          "metadata", Set.of("config", "core"),
          "env", Set.of("metadata", "config", "core"),
          // What a kernel needs of arguments stands once, in host.
          "pci", Set.of("host", "metadata", "config", "core"),
          "host", Set.of("metadata", "config", "core"),
          // A registry log-in is handed in: the containers know no metadata server.
          "container", Set.of("config", "core"),
          // Offline checks: they reuse what the parts know, and no part knows them.
          "image", Set.of("container", "env", "host", "config", "core"),
          // These know the board and no component.
          "health", Set.of("config", "core"),
          "systemd", Set.of("config", "core"));

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(OURS);

  static Set<Map.Entry<String, Set<String>>> arrows() {
    return ARROWS.entrySet();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("arrows")
  void room_usesOnlyWhatItsArrowsLeadTo(Map.Entry<String, Set<String>> arrow) {
    noClasses()
        .that()
        .resideInAPackage(OURS + "." + arrow.getKey())
        .should()
        .dependOnClassesThat(
            describe(
                "belong to a room it has no arrow to",
                used -> isOurs(used) && !mayUse(arrow.getKey(), arrow.getValue(), used)))
        .check(CLASSES);
  }

  @Test
  void commandLine_isUsedByMainOnly() {
    noClasses()
        .that()
        .resideOutsideOfPackage(OURS + ".cli")
        .and()
        .doNotHaveFullyQualifiedName(OURS + ".Main")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(OURS + ".cli")
        .check(CLASSES);
  }

  @Test
  void rooms_areAllListedHere() {
    noClasses()
        .that()
        .resideOutsideOfPackages(OURS, OURS + ".cli")
        .should()
        .resideOutsideOfPackages(
            ARROWS.keySet().stream().map(room -> OURS + "." + room).toArray(String[]::new))
        .check(CLASSES);
  }

  private static boolean isOurs(JavaClass used) {
    return used.getPackageName().equals(OURS) || used.getPackageName().startsWith(OURS + ".");
  }

  private static boolean mayUse(String room, Set<String> arrows, JavaClass used) {
    String usedRoom = used.getPackageName();
    return usedRoom.equals(OURS + "." + room)
        || arrows.stream().anyMatch(arrow -> usedRoom.equals(OURS + "." + arrow));
  }
}
