/** The world around the daemon, in-process, with faults to switch on while it runs. */
@NullMarked
package org.tpubootd.testbed;

import org.jspecify.annotations.NullMarked;
