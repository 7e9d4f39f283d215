package org.tpubootd.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.tpubootd.ImagesOnce;
import org.tpubootd.config.ConfigException;
import org.tpubootd.container.HostImages;
import org.tpubootd.container.ImageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Loads archives now. */
@Command(
    name = "load",
    description = {
      "Load the archives of /var/lib/tpu-bootd/images and /usr/share/tpu-bootd/images"
          + " that hold an image which the engine has not, or the files named.",
      "Where a file ARCHIVE.sha256 lies beside, the archive's SHA-256 has to be it."
    })
final class ImagesLoad implements Callable<Integer> {

  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private MessageOutput messages = new MessageOutput();

  @Parameters(paramLabel = "FILE", description = "Archives, as docker save writes them.")
  private List<Path> files = List.of();

  @Override
  public Integer call() throws ConfigException, IOException, InterruptedException {
    var config = common.configLoader().load().config();
    try (var _ = Unwinding.ofThisThread();
        ProgressLine progress = messages.progress();
        var once = new ImagesOnce(common.surroundings(), config)) {
      HostImages images = once.images();
      boolean named = !files.isEmpty();
      List<Path> archives = named ? files : images.archives();
      List<String> unread = named ? List.of() : images.foldersNotRead();
      unread.forEach(messages::error);
      if (archives.isEmpty() && unread.isEmpty()) {
        messages.line("No archive lies in the folders: nothing to load.");
      }
      boolean all = unread.isEmpty();
      for (Path archive : archives) {
        try {
          load(images, archive, named, progress);
        } catch (ImageException e) {
          progress.clear();
          messages.error(e);
          all = false;
          if (e.engineIsAway()) {
            break;
          }
        }
      }
      return all ? ExitCode.OK : ExitCode.NOT_SO;
    }
  }

  private void load(HostImages images, Path archive, boolean named, ProgressLine progress)
      throws ImageException, InterruptedException {
    // Asked one by one: what the archive before has brought is there by now.
    if (!named && images.isThere(archive)) {
      messages.line(archive + ": its images are there already");
      return;
    }
    progress.show("loading " + archive);
    List<String> loaded = images.load(archive);
    progress.clear();
    messages.line(archive + ": loaded " + String.join(", ", loaded));
  }
}
