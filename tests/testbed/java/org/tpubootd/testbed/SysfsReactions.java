package org.tpubootd.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;

/**
 * Tells which plain file somebody has written to, this process or another: inotify sees both. So
 * the daemon writes to a tree as it writes to sysfs, and the tree reacts.
 */
final class SysfsReactions implements AutoCloseable {

  /** What the tree does about a write. */
  @FunctionalInterface
  interface Reaction {
    void written(Path file) throws IOException, InterruptedException;
  }

  private final WatchService watcher;
  private final Reaction reaction;
  private final Thread thread;

  SysfsReactions(Path directory, Reaction reaction) throws IOException {
    this.reaction = reaction;
    watcher = directory.getFileSystem().newWatchService();
    thread = Thread.ofPlatform().daemon().name("sysfs tree " + directory).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void watch(Path directory) throws IOException {
    directory.register(watcher, StandardWatchEventKinds.ENTRY_MODIFY);
  }

  private void run() {
    try {
      while (true) {
        WatchKey key = watcher.take();
        for (WatchEvent<?> event : key.pollEvents()) {
          if (key.watchable() instanceof Path directory && event.context() instanceof Path name) {
            reaction.written(directory.resolve(name));
          }
        }
        key.reset();
      }
    } catch (ClosedWatchServiceException | InterruptedException e) {
      return; // the tree is closed
    } catch (IOException e) {
      throw new UncheckedIOException("the sysfs tree broke", e);
    }
  }

  @Override
  public void close() throws IOException {
    watcher.close();
  }
}
