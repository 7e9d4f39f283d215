package org.tpubootd.image;

import java.io.IOException;

/** For which processors the tree is: by the program that the package brings. */
final class Architecture {

  private static final String PROGRAM = "/usr/lib/tpu-bootd/runtime/bin/java";

  /** Where e_machine is in an ELF header, and what it is for x86-64. */
  private static final int MACHINE_AT = 18;

  private static final int X86_64 = 62;

  private Architecture() {}

  /** False for others, and where it cannot be told. */
  static boolean isX86(Tree tree) throws IOException {
    byte[] header = tree.bytes(PROGRAM, MACHINE_AT + 2).orElse(new byte[0]);
    return header.length == MACHINE_AT + 2
        && header[1] == 'E'
        && header[2] == 'L'
        && header[3] == 'F'
        && header[MACHINE_AT] == X86_64
        && header[MACHINE_AT + 1] == 0;
  }
}
