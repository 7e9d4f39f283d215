package org.tpubootd.container;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads which images an archive holds that {@code docker save} has written. */
final class TarImages {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int BLOCK = 512;

  /** Docker's own list of what is inside. */
  private static final String MANIFEST = "manifest.json";

  /** A list takes some hundred bytes an image. */
  private static final int LONGEST_LIST = 1 << 20;

  /** In bits: no disk holds more, and adding a block to it cannot overflow. */
  private static final int LONGEST_SIZE = 60;

  private static final String NO_TAR =
      "it is no tar archive (packed ones end in .tar.gz or .tar.zst)";

  private TarImages() {}

  /**
   * @return the images' names with their tags; none where it has no such list
   */
  static List<String> names(InputStream tar) throws IOException {
    byte[] header = new byte[BLOCK];
    while (tar.readNBytes(header, 0, BLOCK) == BLOCK && header[0] != 0) {
      String name = text(header, 0, 100);
      long size = number(header, 124, 12);
      if (name.equals(MANIFEST) || name.equals("./" + MANIFEST)) {
        return tags(tar.readNBytes((int) Math.min(size, LONGEST_LIST)));
      }
      try {
        // Skipping seeks in a plain file: so a list behind gigabytes of layers is found at once.
        tar.skipNBytes((size + BLOCK - 1) / BLOCK * BLOCK);
      } catch (EOFException e) {
        throw new IOException("it ends in the middle of " + name, e);
      }
    }
    return List.of();
  }

  private static List<String> tags(byte[] list) throws IOException {
    var names = new ArrayList<String>();
    for (JsonNode image : JSON.readTree(list)) {
      image.path("RepoTags").forEach(tag -> names.add(tag.asText()));
    }
    return names;
  }

  private static String text(byte[] block, int from, int length) {
    String field = new String(block, from, length, US_ASCII);
    int end = field.indexOf('\0');
    return end < 0 ? field : field.substring(0, end);
  }

  /**
   * Octal digits; from 8 GB on a number in the bytes themselves, with the highest bit set. A file
   * of any bytes can be named .tar, a packed one above all: so no number is taken for granted.
   */
  private static long number(byte[] block, int from, int length) throws IOException {
    if (block[from] < 0) {
      byte[] bytes = Arrays.copyOfRange(block, from, from + length);
      bytes[0] &= 0x7f;
      var size = new BigInteger(1, bytes);
      if (size.bitLength() > LONGEST_SIZE) {
        throw new IOException(NO_TAR);
      }
      return size.longValueExact();
    }
    String digits = text(block, from, length).strip();
    try {
      // Unsigned: a size below nothing would be no number to skip.
      return digits.isEmpty() ? 0 : Long.parseUnsignedLong(digits, 8);
    } catch (NumberFormatException e) {
      throw new IOException(NO_TAR, e);
    }
  }
}
