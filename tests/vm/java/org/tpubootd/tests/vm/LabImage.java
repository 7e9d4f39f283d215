package org.tpubootd.tests.vm;

import static org.tpubootd.tests.packaging.BuiltPackage.PROJECT;
import static org.tpubootd.tests.packaging.BuiltPackage.TARGET;
import static org.tpubootd.tests.packaging.BuiltPackage.run;

import java.io.IOException;
import java.nio.file.Path;
import org.tpubootd.tests.packaging.BuiltPackage;

/** What the lab boots, as tests/vm/make-lab-image makes it with the package of this build. */
record LabImage(Path folder, Path qemu) {

  /** Makes it, or takes the one that was made of the same package. */
  static LabImage make() throws IOException, InterruptedException {
    Path folder = TARGET.resolve("vm");
    run(
            PROJECT.resolve("tests/vm/make-lab-image").toString(),
            BuiltPackage.deb().toString(),
            folder.toString())
        .ok();
    return new LabImage(folder, TpuQemu.copyTo(folder.resolve("qemu-tpu")));
  }

  /** A bootable disk, for all; not to be written to. */
  Path disk() {
    return folder.resolve("disk");
  }

  Path kernel() {
    return folder.resolve("vmlinuz");
  }

  Path initrd() {
    return folder.resolve("initrd");
  }

  /** To log in as root. */
  Path key() {
    return folder.resolve("key");
  }
}
