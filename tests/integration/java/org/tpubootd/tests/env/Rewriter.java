package org.tpubootd.tests.env;

import java.nio.file.Path;
import java.util.zip.CRC32;
import org.tpubootd.config.HostRoot;
import org.tpubootd.env.SafeFile;
import org.tpubootd.env.Wanted;

/** A program that rewrites one file as fast as it can, until it is killed. */
final class Rewriter {

  private Rewriter() {}

  /** A text of that number, of a length of its own, that shows whether it is whole. */
  static String text(int number) {
    String body = "KEY_" + number + "=\"" + "x".repeat(number * 7919 % 60_000) + "\"\n";
    var sum = new CRC32();
    body.chars().forEach(sum::update);
    return body + sum.getValue() + "\n";
  }

  static boolean isWhole(String text) {
    int end = text.indexOf('\n') + 1;
    var sum = new CRC32();
    text.chars().limit(end).forEach(sum::update);
    return end > 0 && text.substring(end).equals(sum.getValue() + "\n");
  }

  static void write(Path root, String path, int number) throws Exception {
    new SafeFile(new HostRoot(root), path).write(Wanted.file(text(number), 0644, null));
  }

  /** Arguments: root, path, first number. Prints a line after the first write. */
  public static void main(String[] arguments) throws Exception {
    int number = Integer.parseInt(arguments[2]);
    write(Path.of(arguments[0]), arguments[1], number);
    System.out.println("rewriting");
    while (true) {
      write(Path.of(arguments[0]), arguments[1], ++number);
    }
  }
}
