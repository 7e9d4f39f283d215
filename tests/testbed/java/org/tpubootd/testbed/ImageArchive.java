package org.tpubootd.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;

/**
 * An archive as {@code docker save} writes it: a layer of zeros, and the list of what is inside.
 */
public final class ImageArchive {

  private static final int BLOCK = 512;

  private ImageArchive() {}

  /** One that holds an image of this name. */
  public static byte[] of(String image) {
    var tar = new ByteArrayOutputStream();
    entry(tar, "layer.tar", new byte[5000]);
    entry(tar, "manifest.json", "[{\"RepoTags\":[\"%s\"]}]".formatted(image).getBytes(UTF_8));
    tar.writeBytes(new byte[2 * BLOCK]);
    return tar.toByteArray();
  }

  private static void entry(ByteArrayOutputStream tar, String name, byte[] content) {
    byte[] header = new byte[BLOCK];
    put(header, 0, name);
    put(header, 124, "%011o".formatted(content.length));
    put(header, 257, "ustar");
    tar.writeBytes(header);
    tar.writeBytes(content);
    tar.writeBytes(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
  }

  private static void put(byte[] header, int at, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    System.arraycopy(bytes, 0, header, at, bytes.length);
  }
}
