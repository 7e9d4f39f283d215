package org.tpubootd.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortHolderTest {

  private static final String HEAD =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout"
          + " inode\n";

  @TempDir Path proc;

  @BeforeEach
  void process() throws IOException {
    Files.createDirectories(proc.resolve("net"));
    Files.createDirectories(proc.resolve("812/fd"));
    Files.createSymbolicLink(proc.resolve("812/fd/3"), Path.of("socket:[4711]"));
    Files.writeString(proc.resolve("812/comm"), "nginx\n");
    Files.createDirectories(proc.resolve("99"));
  }

  private void table(String name, String address, String state) throws IOException {
    Files.writeString(
        proc.resolve("net").resolve(name),
        HEAD
            + "   0: "
            + address
            + " 00000000:0000 "
            + state
            + " 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000 100 0 0 10 0\n");
  }

  @Test
  void holder_listener_isNamedWithItsPid() throws Exception {
    table("tcp", "0100007F:257B", "0A");
    assertThat(new PortHolder(proc).holder(9595)).contains("nginx (pid 812)");
  }

  @Test
  void holder_listenerOnIpv6_isFoundToo() throws Exception {
    table("tcp6", "00000000000000000000000000000000:257B", "0A");
    assertThat(new PortHolder(proc).holder(9595)).contains("nginx (pid 812)");
  }

  @Test
  void holder_anotherPortOrAConnection_isNone() throws Exception {
    table("tcp", "0100007F:257C", "0A");
    table("tcp6", "0100007F:257B", "01");
    assertThat(new PortHolder(proc).holder(9595)).isEmpty();
  }

  @Test
  void holder_processThatCannotBeLookedInto_isNone() throws Exception {
    table("tcp", "0100007F:257B", "0A");
    Files.delete(proc.resolve("812/fd/3"));
    assertThat(new PortHolder(proc).holder(9595)).isEmpty();
  }

  @Test
  void holder_onTheMachineItself_findsThisVeryProcess() throws Exception {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(new PortHolder(Path.of("/proc")).holder(socket.getLocalPort()))
          .get()
          .asString()
          .endsWith("(pid " + ProcessHandle.current().pid() + ")");
    }
  }
}
