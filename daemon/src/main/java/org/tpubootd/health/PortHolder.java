package org.tpubootd.health;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the program that listens on a port: {@code /proc/net/tcp} gives the socket's inode, and the
 * process whose file descriptor shows that inode is the holder. Best effort, for messages only.
 */
final class PortHolder {

  /** State of a listening socket in {@code /proc/net/tcp}. */
  private static final String LISTEN = "0A";

  private static final int LOCAL_ADDRESS = 1;
  private static final int STATE = 3;
  private static final int INODE = 9;

  private final Path proc;

  /**
   * @param proc where procfs is mounted
   */
  PortHolder(Path proc) {
    this.proc = proc;
  }

  /** The holder, as a person would name it: {@code nginx (pid 812)}. */
  Optional<String> holder(int port) {
    var links = new HashSet<String>();
    collectListeners(proc.resolve("net/tcp"), port, links);
    collectListeners(proc.resolve("net/tcp6"), port, links);
    if (links.isEmpty()) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (Path process : processes) {
        if (holdsOne(process.resolve("fd"), links)) {
          return Optional.of(name(process) + " (pid " + process.getFileName() + ")");
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  private static void collectListeners(Path table, int port, Set<String> links) {
    String suffix = ":" + HexFormat.of().withUpperCase().toHexDigits((short) port);
    // Line by line: a busy host has hundreds of thousands of connections.
    try (BufferedReader lines = Files.newBufferedReader(table)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] fields = line.strip().split("\\s+");
        if (fields.length > INODE
            && fields[STATE].equals(LISTEN)
            && fields[LOCAL_ADDRESS].toUpperCase(Locale.ROOT).endsWith(suffix)) {
          links.add("socket:[" + fields[INODE] + "]");
        }
      }
    } catch (IOException e) {
      // A kernel without IPv6 has no tcp6: there is nothing to find then.
      return;
    }
  }

  private static boolean holdsOne(Path descriptors, Set<String> links) {
    try (DirectoryStream<Path> open = Files.newDirectoryStream(descriptors)) {
      for (Path descriptor : open) {
        if (links.contains(Files.readSymbolicLink(descriptor).toString())) {
          return true;
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // The process ended meanwhile, or is not ours to look into: then it is not the one to name.
      return false;
    }
    return false;
  }

  private static String name(Path process) {
    try {
      return Files.readString(process.resolve("comm")).strip();
    } catch (IOException e) {
      return "a program";
    }
  }
}
