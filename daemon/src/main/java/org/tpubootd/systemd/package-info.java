/** What systemd is told over its notification socket. Reads the board and knows no component. */
@NullMarked
package org.tpubootd.systemd;

import org.jspecify.annotations.NullMarked;
