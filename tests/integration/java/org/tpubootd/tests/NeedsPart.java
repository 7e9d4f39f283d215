package org.tpubootd.tests;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * A test that needs real parts of the machine. Where one is missing the test is skipped, by name
 * and with the reason; in CI (CI=true) it fails instead, so that a green run has proved it.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsPart.Condition.class)
public @interface NeedsPart {

  Part[] value();

  /** What a test can need. */
  enum Part {
    BASH("the program bash"),
    PYTHON3("the program python3"),
    SYSTEMD_ANALYZE("the program systemd-analyze (Debian package systemd)"),
    PROMTOOL("the program promtool (Debian package prometheus)"),
    DOCKER("the program docker (Debian package docker.io)"),
    DOCKERD("the program dockerd (Debian package docker.io)"),
    DPKG_DEB("the program dpkg-deb"),
    LINTIAN("the program lintian"),
    SHELLCHECK("the program shellcheck"),
    SCRIPT("the program script (Debian package bsdutils)"),
    /** For tests/minimal-debian, whose archive may be there already. */
    MMDEBSTRAP("the program mmdebstrap"),
    /** For packaging/at-final-path: root, or a user who may have user namespaces. */
    MOUNT_NAMESPACE("mount namespaces (unshare --mount)"),
    BUSYBOX("the program busybox (Debian package busybox-static)"),
    REGISTRY("the program docker-registry (Debian package docker-registry)"),
    /** A running engine: tests/run starts one and names it in TPU_BOOTD_TEST_ENGINE. */
    ENGINE("a running Docker Engine, named in TPU_BOOTD_TEST_ENGINE (tests/run starts one)"),
    QEMU("the program qemu-system-x86_64 (Debian package qemu-system-x86)"),
    SSH("the programs ssh and ssh-keygen (Debian package openssh-client)"),
    SFDISK("the program sfdisk (Debian package fdisk)"),
    ROOT("the user root"),
    MOUNTS("the right to mount file systems (CAP_SYS_ADMIN)");

    private final String description;

    Part(String description) {
      this.description = description;
    }

    boolean isThere() {
      return switch (this) {
        case BASH -> onPath("bash");
        case PYTHON3 -> onPath("python3");
        case SYSTEMD_ANALYZE -> onPath("systemd-analyze");
        case PROMTOOL -> onPath("promtool");
        case DOCKER -> onPath("docker");
        case DOCKERD -> onPath("dockerd");
        case DPKG_DEB -> onPath("dpkg-deb");
        case LINTIAN -> onPath("lintian");
        case SHELLCHECK -> onPath("shellcheck");
        case SCRIPT -> onPath("script");
        case MMDEBSTRAP -> onPath("mmdebstrap");
        case MOUNT_NAMESPACE -> succeeds("unshare", "--map-root-user", "--mount", "true");
        case BUSYBOX -> onPath("busybox");
        case REGISTRY -> onPath("docker-registry");
        case ENGINE -> System.getenv("TPU_BOOTD_TEST_ENGINE") != null;
        case QEMU -> onPath("qemu-system-x86_64");
        case SSH -> onPath("ssh") && onPath("ssh-keygen");
        case SFDISK -> onPath("sfdisk");
        case ROOT -> ownerOfThisProcess().equals("root");
        case MOUNTS -> mayMount();
      };
    }

    private static boolean onPath(String program) {
      for (String directory : System.getenv("PATH").split(":")) {
        if (Files.isExecutable(Path.of(directory, program))) {
          return true;
        }
      }
      return false;
    }

    private static boolean mayMount() {
      int adminOfTheSystem = 21;
      try (var status = Files.lines(Path.of("/proc/self/status"))) {
        return status
            .filter(line -> line.startsWith("CapEff:"))
            .map(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
            .anyMatch(capabilities -> (capabilities >> adminOfTheSystem & 1) == 1);
      } catch (IOException e) {
        throw new IllegalStateException("/proc/self/status cannot be read", e);
      }
    }

    private static boolean succeeds(String... command) {
      try {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor()
            == 0;
      } catch (IOException e) {
        return false;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    private static String ownerOfThisProcess() {
      try {
        return Files.getOwner(Path.of("/proc/self")).getName();
      } catch (IOException e) {
        throw new IllegalStateException("/proc/self has no owner to read", e);
      }
    }
  }

  /** Decides by the parts that are there. */
  final class Condition implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      var missing = new ArrayList<String>();
      context
          .getElement()
          .flatMap(element -> AnnotationSupport.findAnnotation(element, NeedsPart.class))
          .map(annotation -> List.of(annotation.value()))
          .orElse(List.of())
          .stream()
          .filter(part -> !part.isThere())
          .forEach(part -> missing.add(part.description));
      if (missing.isEmpty()) {
        return ConditionEvaluationResult.enabled("all parts are there");
      }
      String reason = "needs " + String.join(" and ", missing);
      if (Boolean.parseBoolean(System.getenv("CI"))) {
        throw new IllegalStateException(context.getDisplayName() + " " + reason + ", here in CI");
      }
      return ConditionEvaluationResult.disabled(reason);
    }
  }
}
