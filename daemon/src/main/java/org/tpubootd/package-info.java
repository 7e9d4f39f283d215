/** The command line and the wiring: both fit on one screen. */
@NullMarked
package org.tpubootd;

import org.jspecify.annotations.NullMarked;
