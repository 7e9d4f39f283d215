package org.tpubootd.cli;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.tpubootd.ImagesOnce;
import org.tpubootd.config.ConfigException;
import org.tpubootd.container.HostImages;
import org.tpubootd.container.HostImages.Pulled;
import org.tpubootd.container.HostImages.UnknownContainerException;
import org.tpubootd.container.ImageException;
import org.tpubootd.container.WantedImage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Pulls images now. */
@Command(
    name = "pull",
    description = {
      "Pull the images of all containers that are switched on, or those named.",
      "No container is started or stopped. The log-in of the VM's service account is"
          + " shown to Google's registries only."
    })
final class ImagesPull implements Callable<Integer> {

  @Mixin private CommonOptions common = new CommonOptions();
  @Mixin private MessageOutput messages = new MessageOutput();

  @Option(
      names = "--save",
      description =
          "Keep each image as an archive in /usr/share/tpu-bootd/images, too, out of which it is"
              + " loaded at boot. For the tree of another image: --root and DOCKER_HOST.")
  private boolean save;

  @Parameters(
      paramLabel = "NAME|IMAGE",
      description = "Containers, such as vbar, or images with their tag or digest.")
  private List<String> names = List.of();

  @Override
  public Integer call() throws ConfigException, IOException, InterruptedException {
    var config = common.configLoader().load().config();
    try (var _ = Unwinding.ofThisThread();
        ProgressLine progress = messages.progress();
        var once = new ImagesOnce(common.surroundings(), config)) {
      boolean all = true;
      Map<Optional<String>, WantedImage> distinct = new LinkedHashMap<>();
      once.images().wanted(names).forEach(one -> distinct.putIfAbsent(one.image(), one));
      for (WantedImage wanted : distinct.values()) {
        try {
          get(once.images(), wanted, progress);
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
    } catch (UnknownContainerException e) {
      messages.error(String.valueOf(e.getMessage()));
      return ExitCode.WRONG_INPUT;
    }
  }

  private void get(HostImages images, WantedImage wanted, ProgressLine progress)
      throws ImageException, InterruptedException {
    Pulled pulled =
        images.pull(wanted, text -> progress.show("pulling " + wanted.name() + ": " + text));
    progress.clear();
    messages.line(pulled.image() + ": " + (pulled.isNew() ? "pulled" : "up to date"));
    if (pulled.digest() != null) {
      messages.line("    " + pulled.digest());
    }
    if (save) {
      progress.show("saving " + wanted.name());
      String path = images.save(wanted);
      progress.clear();
      messages.line("    saved as " + path);
    }
  }
}
