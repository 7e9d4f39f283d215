package org.tpubootd.cli;

import picocli.CommandLine.Command;

/** The images of the containers, and archives of them. */
@Command(
    name = "images",
    description = "List, pull and load the images of the containers.",
    subcommands = {ImagesList.class, ImagesPull.class, ImagesLoad.class})
final class ImagesCommand {}
