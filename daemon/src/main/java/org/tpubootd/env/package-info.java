/**
 * The attribute {@code tpu-env}, the files made of it for bash, systemd, pam_env and docker, and
 * the one way in which files are written.
 */
@NullMarked
package org.tpubootd.env;

import org.jspecify.annotations.NullMarked;
